package petrichor.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.LookupRequest;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import java.nio.channels.ClosedChannelException;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

class DatastoreClientTest {
    /** Ends each call with a status, as a connection does that closes while a request is sent. */
    private record Ending(Status status) implements ClientInterceptor {
        @Override
        public <Q, A> ClientCall<Q, A> interceptCall(
                MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
            return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
                @Override
                public void start(Listener<A> responses, Metadata headers) {
                    responses.onClose(status, new Metadata());
                }

                @Override
                public void request(int messages) {}

                @Override
                public void sendMessage(Q message) {}

                @Override
                public void halfClose() {}
            };
        }
    }

    @Test
    void aConnectionThatClosesWhileARequestIsSentIsUnavailable() {
        assertFails(
                Status.UNKNOWN
                        .withDescription("channel closed")
                        .withCause(new ClosedChannelException()),
                ErrorCode.UNAVAILABLE);
    }

    @Test
    void anUnknownFailureOfTheServerIsInternal() {
        assertFails(Status.UNKNOWN.withDescription("unexpected"), ErrorCode.INTERNAL);
    }

    private static void assertFails(Status status, ErrorCode code) {
        ManagedChannel connection =
                NettyChannelBuilder.forAddress("localhost", 1).usePlaintext().build();
        Channel channel = ClientInterceptors.intercept(connection, new Ending(status));
        try (DatastoreClient client =
                new DatastoreClient(connection, channel, "localhost:1", false)) {
            assertThatThrownBy(() -> client.lookup(LookupRequest.getDefaultInstance()))
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            failed -> assertThat(failed.code()).isEqualTo(code));
        }
    }
}
