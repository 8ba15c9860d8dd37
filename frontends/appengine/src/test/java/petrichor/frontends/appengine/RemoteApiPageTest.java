package petrichor.frontends.appengine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.apphosting.base.protos.api.RemoteApiPb.Request;
import com.google.apphosting.base.protos.api.RemoteApiPb.Response;
import com.google.apphosting.base.protos.api.RemoteApiPb.RpcError.ErrorCode;
import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.base.Cancellation;
import petrichor.base.PetrichorException;
import petrichor.frontends.http.Page;

@Timeout(60)
final class RemoteApiPageTest {
    private static final ByteString NOTHING = ByteString.EMPTY;

    private record Scripted(Function<ServiceCall, CompletableFuture<byte[]>> script)
            implements BundledService {
        @Override
        public String name() {
            return "scripted";
        }

        @Override
        public CompletableFuture<byte[]> call(ServiceCall call) {
            return script.apply(call);
        }
    }

    private static AppCaller apps(Function<ServiceCall, CompletableFuture<byte[]>> script) {
        return new AppCaller(new Scripted(script));
    }

    private static CompletableFuture<byte[]> done(String text) {
        return CompletableFuture.completedFuture(text.getBytes(UTF_8));
    }

    private static Response answer(Function<ServiceCall, CompletableFuture<byte[]>> script) {
        return apps(script).response("demo", "scripted", "Do", NOTHING);
    }

    private static void assertError(Response response, ErrorCode code, String detail) {
        assertThat(response.getRpcError().getCode()).isEqualTo(code.getNumber());
        assertThat(response.getRpcError().getDetail()).contains(detail);
    }

    private static Response failing(petrichor.base.ErrorCode code) {
        return answer(
                _ -> {
                    throw PetrichorException.of(code, "it failed");
                });
    }

    @Test
    void aServiceGetsTheMessageAndTheAppOfTheTicket() {
        AppCaller apps =
                apps(
                        call ->
                                done(
                                        call.app().project()
                                                + " "
                                                + call.method()
                                                + " "
                                                + new String(call.request(), UTF_8)));
        Response response =
                apps.response("demo/request-7", "scripted", "Do", ByteString.copyFromUtf8("this"));
        assertThat(response.getResponse().toStringUtf8()).isEqualTo("demo Do this");
        assertThat(apps.response("", "scripted", "Do", NOTHING).getResponse().toStringUtf8())
                .isEqualTo(AppCaller.DEFAULT_PROJECT + " Do ");
    }

    @Test
    void anEmptyResponseIsAResponse() {
        assertThat(answer(_ -> done("")).hasResponse()).isTrue();
    }

    @Test
    void errorsOfAnApiAreApplicationErrors() {
        for (Response response :
                new Response[] {
                    answer(
                            _ -> {
                                throw new ServiceError(7, "no such item");
                            }),
                    answer(_ -> CompletableFuture.failedFuture(new ServiceError(7, "no such item")))
                }) {
            assertThat(response.getApplicationError().getCode()).isEqualTo(7);
            assertThat(response.getApplicationError().getDetail()).isEqualTo("no such item");
            assertThat(response.hasRpcError()).isFalse();
        }
    }

    @Test
    void failuresOfThePlatformHaveTheCodesOfTheSdks() {
        for (petrichor.base.ErrorCode code : petrichor.base.ErrorCode.values()) {
            ErrorCode expected =
                    switch (code) {
                        case INVALID_ARGUMENT -> ErrorCode.PARSE_ERROR;
                        case UNIMPLEMENTED -> ErrorCode.CALL_NOT_FOUND;
                        case RESOURCE_EXHAUSTED -> ErrorCode.OVER_QUOTA;
                        case UNAUTHENTICATED, PERMISSION_DENIED -> ErrorCode.SECURITY_VIOLATION;
                        case UNAVAILABLE -> ErrorCode.CAPABILITY_DISABLED;
                        case DEADLINE_EXCEEDED -> ErrorCode.DEADLINE_EXCEEDED;
                        case NOT_FOUND, ALREADY_EXISTS, FAILED_PRECONDITION, ABORTED, INTERNAL ->
                                ErrorCode.UNKNOWN;
                    };
            assertError(failing(code), expected, "it failed");
        }
    }

    @Test
    void anUnexpectedFailureDoesNotShowItsText() {
        Response response =
                answer(
                        _ -> {
                            throw new IllegalStateException("secret");
                        });
        assertError(response, ErrorCode.UNKNOWN, "internal error");
        assertThat(response.getRpcError().getDetail()).doesNotContain("secret");
    }

    @Test
    void unknownApisAndMethodsAreNotFound() {
        AppCaller apps =
                apps(
                        call -> {
                            throw call.unknownMethod();
                        });
        assertError(
                apps.response("demo", "other", "Do", NOTHING),
                ErrorCode.CALL_NOT_FOUND,
                "there is no API other; this server has scripted");
        assertError(
                apps.response("demo", "scripted", "Undo", NOTHING),
                ErrorCode.CALL_NOT_FOUND,
                "there is no method Undo");
    }

    @Test
    void appsDoNotCallMethodsOfThePlatform() {
        assertError(
                apps(_ -> done("")).response("demo", "scripted", "_CompleteUpload", NOTHING),
                ErrorCode.CALL_NOT_FOUND,
                "there is no method _CompleteUpload");
    }

    @Test
    void aBodyThatIsNotARequestIsRefused() {
        Page.Answer answer =
                apps(_ -> done("")).post(new byte[] {1, 2, 3}, Map.of(), Cancellation.never());
        assertThat(answer.status()).isEqualTo(400);
    }

    @Test
    void headersOfOtherServicesAndBadDeadlinesAreRefused() {
        byte[] body = request().toByteArray();
        AppCaller apps = apps(_ -> done(""));
        for (Map<String, String> headers :
                List.of(
                        Map.of("x-google-rpc-service-endpoint", "other"),
                        Map.of("x-google-rpc-service-method", "/Other.Call"),
                        Map.of("x-google-rpc-service-deadline", "soon"),
                        Map.of("x-google-rpc-service-deadline", "NaN"))) {
            assertThat(apps.post(body, headers, Cancellation.never()).status())
                    .as(headers.toString())
                    .isEqualTo(400);
        }
        Map<String, String> usual =
                Map.of(
                        "x-google-rpc-service-endpoint",
                        "app-engine-apis",
                        "x-google-rpc-service-method",
                        "/VMRemoteAPI.CallRemoteAPI",
                        "x-google-rpc-service-deadline",
                        "12.5");
        assertThat(apps.post(body, usual, Cancellation.never()).status()).isEqualTo(200);
    }

    private static Request request() {
        return Request.newBuilder()
                .setServiceName("scripted")
                .setMethod("Do")
                .setRequest(NOTHING)
                .build();
    }

    @Test
    void aCallEndsAtItsDeadlineEvenIfTheServiceDoesNot() {
        AppCaller apps = apps(_ -> new CompletableFuture<>());
        Page.Answer answer =
                apps.post(
                        request().toByteArray(),
                        Map.of("x-google-rpc-service-deadline", "0.05"),
                        Cancellation.never());
        assertError(AppCaller.response(answer), ErrorCode.DEADLINE_EXCEEDED, "deadline");
    }

    @Test
    void aCallWhoseDeadlineHasPassedIsNotExecuted() {
        AppCaller apps = apps(_ -> done(""));
        for (String passed : List.of("0", "-0.001")) {
            Page.Answer answer =
                    apps.post(
                            request().toByteArray(),
                            Map.of("x-google-rpc-service-deadline", passed),
                            Cancellation.never());
            assertError(AppCaller.response(answer), ErrorCode.DEADLINE_EXCEEDED, "deadline");
        }
    }

    @Test
    void aServiceLearnsThatTheAppDisconnected() throws Exception {
        Cancellation client = Cancellation.never();
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        AppCaller apps =
                apps(
                        call -> {
                            call.cancellation().onCancel(cancelled::countDown);
                            running.countDown();
                            return new CompletableFuture<>();
                        });
        Thread app =
                Thread.startVirtualThread(
                        () -> apps.post(request().toByteArray(), Map.of(), client));
        running.await();
        client.cancel();
        cancelled.await();
        app.join();
    }

    @Test
    void requestsAndResponsesAreLimited() {
        AppCaller apps = apps(_ -> CompletableFuture.completedFuture(new byte[(32 << 20) + 1]));
        assertError(
                apps.response("demo", "scripted", "Do", NOTHING),
                ErrorCode.RESPONSE_TOO_LARGE,
                "33554433 bytes");
        ByteString large = ByteString.copyFrom(new byte[(32 << 20) + 1]);
        assertError(
                apps.response("demo", "scripted", "Do", large),
                ErrorCode.REQUEST_TOO_LARGE,
                "33554433 bytes");
    }

    @Test
    void responsesOccupyMemoryUntilTheyAreSent() {
        AppCaller apps = apps(_ -> CompletableFuture.completedFuture(new byte[30 << 20]));
        Page.Answer first = apps.post(request().toByteArray(), Map.of(), Cancellation.never());
        assertThat(apps.memory.bytesUsed()).isGreaterThan(30 << 20);
        Page.Answer refused = first;
        for (int i = 0; i < 4; i++) {
            refused = apps.post(request().toByteArray(), Map.of(), Cancellation.never());
        }
        assertError(AppCaller.response(refused), ErrorCode.OVER_QUOTA, "slow clients");
        Objects.requireNonNull(first.held()).close();
        assertThat(
                        AppCaller.response(
                                        apps.post(
                                                request().toByteArray(),
                                                Map.of(),
                                                Cancellation.never()))
                                .hasResponse())
                .isTrue();
    }

    @Test
    void callsAreCountedWithFewLabels() {
        AppCaller apps =
                apps(
                        call ->
                                switch (call.method()) {
                                    case "Do" -> done("");
                                    case "Fail" -> throw new ServiceError(1, "failed");
                                    default -> throw call.unknownMethod();
                                });
        apps.response("demo", "scripted", "Do", NOTHING);
        apps.response("demo", "scripted", "Fail", NOTHING);
        for (int i = 0; i < 10; i++) {
            apps.response("demo", "scripted", "Undo" + i, NOTHING);
            apps.response("demo", "other" + i, "Do", NOTHING);
        }
        assertThat(apps.registry.scrape().get(0).getDataPoints())
                .extracting(point -> point.getLabels().toString())
                .containsExactlyInAnyOrder(
                        "{method=\"Do\",outcome=\"OK\",service=\"scripted\"}",
                        "{method=\"Fail\",outcome=\"APPLICATION_ERROR\",service=\"scripted\"}",
                        "{method=\"unknown\",outcome=\"CALL_NOT_FOUND\",service=\"scripted\"}",
                        "{method=\"unknown\",outcome=\"CALL_NOT_FOUND\",service=\"unknown\"}");
    }
}
