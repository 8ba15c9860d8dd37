package petrichor.frontends.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.StringValue;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import petrichor.frontends.access.AccessAttempt;
import petrichor.frontends.access.AuditLog;
import petrichor.frontends.access.Caller;
import petrichor.frontends.access.Role;
import petrichor.frontends.access.Scope;
import petrichor.rpc.Rpc;

/** Calls methods over gRPC without a network. */
class GrpcApiTest {
    private static final long WITHIN_S = 60;
    private static final Caller WRITER =
            new Caller("web", Role.WRITE, new Scope.Limited(Set.of("shop"), Set.of()));

    private final CountDownLatch gate = new CountDownLatch(1);
    private final AtomicInteger executed = new AtomicInteger();
    private final ApiMethod<StringValue, StringValue> method =
            ApiMethod.of(
                    "test.Service/Method",
                    StringValue.getDefaultInstance(),
                    StringValue.getDefaultInstance(),
                    Role.WRITE,
                    StringValue::getValue,
                    this::work);
    private final ServerMethodDefinition<?, ?> served =
            new GrpcApi(ApiCalls.register(Rpc.STANDALONE, List.of(method)), 1)
                    .services(List.of(method))
                    .getFirst()
                    .getMethod(method.name());

    private StringValue work(StringValue request) {
        executed.incrementAndGet();
        try {
            assertThat(gate.await(WITHIN_S, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
        return request;
    }

    // the method has messages of this type
    @SuppressWarnings("unchecked")
    private CompletableFuture<Status> call(Caller caller, String project) throws Exception {
        AccessAttempt attempt = new AccessAttempt(AuditLog.off(), "grpc", method.name(), null);
        attempt.admit(caller);
        var typed = (ServerMethodDefinition<StringValue, StringValue>) served;
        Call call = new Call(typed.getMethodDescriptor());
        GrpcAccess.of(attempt)
                .call(
                        () -> {
                            var listener =
                                    typed.getServerCallHandler().startCall(call, new Metadata());
                            listener.onMessage(StringValue.of(project));
                            listener.onHalfClose();
                            return listener;
                        });
        return call.status;
    }

    private static Status.Code code(CompletableFuture<Status> status) throws Exception {
        return status.get(WITHIN_S, TimeUnit.SECONDS).getCode();
    }

    @Test
    void callsBeyondTheLimitAreRefused() throws Exception {
        CompletableFuture<Status> first = call(WRITER, "shop");
        assertThat(code(call(WRITER, "shop"))).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(first).isNotDone();
        gate.countDown();
        assertThat(code(first)).isEqualTo(Status.Code.OK);
        assertThat(executed).hasValue(1);
    }

    @Test
    void callersWithoutTheRoleAreRefused() throws Exception {
        gate.countDown();
        Caller reader = new Caller("reports", Role.READ, WRITER.scope());
        assertThat(code(call(reader, "shop"))).isEqualTo(Status.Code.PERMISSION_DENIED);
        assertThat(executed).hasValue(0);
    }

    @Test
    void callersOfOtherProjectsAreRefused() throws Exception {
        gate.countDown();
        assertThat(code(call(WRITER, "stock"))).isEqualTo(Status.Code.PERMISSION_DENIED);
        assertThat(executed).hasValue(0);
    }

    /** The server's side of a call. */
    private static final class Call extends ServerCall<StringValue, StringValue> {
        private final MethodDescriptor<StringValue, StringValue> descriptor;
        private final CompletableFuture<Status> status = new CompletableFuture<>();

        Call(MethodDescriptor<StringValue, StringValue> descriptor) {
            this.descriptor = descriptor;
        }

        @Override
        public void request(int messages) {}

        @Override
        public void sendHeaders(Metadata headers) {}

        @Override
        public void sendMessage(StringValue message) {}

        @Override
        public void close(Status ended, Metadata trailers) {
            status.complete(ended);
        }

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public MethodDescriptor<StringValue, StringValue> getMethodDescriptor() {
            return descriptor;
        }
    }
}
