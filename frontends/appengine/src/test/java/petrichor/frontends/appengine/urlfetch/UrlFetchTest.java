package petrichor.frontends.appengine.urlfetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.appengine.api.urlfetch.URLFetchServicePb.URLFetchRequest;
import com.google.appengine.api.urlfetch.URLFetchServicePb.URLFetchRequest.RequestMethod;
import com.google.appengine.api.urlfetch.URLFetchServicePb.URLFetchResponse;
import com.google.appengine.api.urlfetch.URLFetchServicePb.URLFetchServiceError.ErrorCode;
import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.Cancellation;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.frontends.appengine.CallingApp;
import petrichor.frontends.appengine.ServiceCall;
import petrichor.frontends.appengine.ServiceError;
import petrichor.services.fetch.AddressGuard;
import petrichor.services.fetch.FetchAllowlist;
import petrichor.services.fetch.FetchLimits;
import petrichor.services.fetch.TlsContexts;
import petrichor.services.fetch.UrlFetcher;

final class UrlFetchTest {
    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server = start();
    private final MemoryBudget budget = MemoryBudget.of("test", 64 << 20);
    private final UrlFetch service =
            new UrlFetch(
                    new UrlFetcher(
                            new AddressGuard(
                                    FetchAllowlist.parse(
                                            List.of("127.0.0.1:" + server.getAddress().getPort())),
                                    _ -> false,
                                    AddressGuard.Resolver.SYSTEM,
                                    workers),
                            FetchLimits.DEFAULT,
                            TlsContexts.system(),
                            _ -> false,
                            workers,
                            TimeSource.SYSTEM),
                    budget,
                    _ -> false);

    @AfterEach
    void close() {
        server.stop(0);
        workers.close();
    }

    @Test
    void aFetchReturnsStatusFieldsContentAndTheFinalUrl() throws Exception {
        URLFetchResponse response =
                fetch(
                        request("/redirect")
                                .setMethod(RequestMethod.POST)
                                .setPayload(ByteString.copyFromUtf8("hello"))
                                .build());
        assertThat(response.getStatusCode()).isEqualTo(200);
        assertThat(response.getContent().toStringUtf8())
                .isEqualTo(
                        "POST hello AppEngine-Google;"
                                + " (+http://code.google.com/appengine; appid: s~demo)");
        assertThat(response.getFinalUrl()).endsWith("/there");
        assertThat(response.getContentWasTruncated()).isFalse();
        assertThat(response.getHeaderList())
                .anyMatch(
                        header ->
                                header.getKey().equalsIgnoreCase("X-Own")
                                        && header.getValue().equals("yes"));
        assertThat(budget.bytesUsed()).isZero();
    }

    @Test
    void redirectsCanBeDeclined() throws Exception {
        URLFetchResponse response = fetch(request("/redirect").setFollowRedirects(false).build());
        assertThat(response.getStatusCode()).isEqualTo(307);
        assertThat(response.hasFinalUrl()).isFalse();
    }

    @Test
    void failuresHaveTheCodesOfTheApi() {
        assertThatThrownBy(() -> fetch(request("/").setUrl("ftp://example.com/").build()))
                .isInstanceOfSatisfying(
                        ServiceError.class,
                        error -> assertThat(error.code()).isEqualTo(ErrorCode.INVALID_URL_VALUE));
        assertThatThrownBy(() -> fetch(request("/").setUrl("http://127.0.0.1:1025/").build()))
                .isInstanceOfSatisfying(
                        ServiceError.class,
                        error -> assertThat(error.code()).isEqualTo(ErrorCode.FETCH_ERROR_VALUE));
        assertThatThrownBy(() -> fetch(request("/").setDeadline(0).build()))
                .isInstanceOfSatisfying(
                        ServiceError.class,
                        error ->
                                assertThat(error.code())
                                        .isEqualTo(ErrorCode.DEADLINE_EXCEEDED_VALUE));
        assertThatThrownBy(() -> service.call(call("Push", new byte[0])))
                .isInstanceOf(PetrichorException.class);
        assertThatThrownBy(() -> service.call(call("Fetch", new byte[] {1, 2, 3})))
                .isInstanceOf(PetrichorException.class);
    }

    private URLFetchRequest.Builder request(String path) {
        return URLFetchRequest.newBuilder()
                .setMethod(RequestMethod.GET)
                .setDeadline(60)
                .setUrl("http://127.0.0.1:" + server.getAddress().getPort() + path);
    }

    private URLFetchResponse fetch(URLFetchRequest request) throws Exception {
        return URLFetchResponse.parseFrom(
                service.call(call("Fetch", request.toByteArray())).join());
    }

    private static ServiceCall call(String method, byte[] request) {
        return new ServiceCall(method, request, CallingApp.of("demo"), Cancellation.never());
    }

    private static HttpServer start() {
        try {
            HttpServer server =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext(
                    "/redirect",
                    exchange -> {
                        exchange.getResponseHeaders().set("Location", "/there");
                        exchange.sendResponseHeaders(307, -1);
                        exchange.close();
                    });
            server.createContext(
                    "/there",
                    exchange -> {
                        String body =
                                exchange.getRequestMethod()
                                        + " "
                                        + new String(
                                                exchange.getRequestBody().readAllBytes(),
                                                StandardCharsets.UTF_8)
                                        + " "
                                        + exchange.getRequestHeaders().getFirst("User-Agent");
                        exchange.getResponseHeaders().set("X-Own", "yes");
                        exchange.sendResponseHeaders(200, body.length());
                        exchange.getResponseBody().write(body.getBytes(StandardCharsets.UTF_8));
                        exchange.close();
                    });
            server.start();
            return server;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
