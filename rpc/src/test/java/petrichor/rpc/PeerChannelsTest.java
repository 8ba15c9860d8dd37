package petrichor.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Context;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;

/** Outcomes of calls to another server over real connections. */
class PeerChannelsTest {
    private static final PeerAuthentication TOKEN = PeerAuthentication.token("secret");

    private final PeerChannels channels = new PeerChannels(TOKEN, ProtocolVersions.SUPPORTED);

    @AfterEach
    void close() {
        channels.close();
    }

    private static PeerServer start() throws Exception {
        return PeerServer.start(TOKEN, ProtocolVersions.SUPPORTED);
    }

    private static PeerCall call(String text, boolean large) {
        return large ? PeerCall.large(text) : new PeerCall(text);
    }

    @Test
    void eachCallGetsItsOwnResponse() throws Exception {
        try (PeerServer other = start()) {
            List<CompletableFuture<Reply>> replies =
                    IntStream.range(0, 1_000)
                            .mapToObj(i -> channels.call(other.peer(), call("call " + i, false)))
                            .toList();
            for (int i = 0; i < replies.size(); i++) {
                assertThat(text(replies.get(i))).isEqualTo("call " + i + " done");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void outcomesArriveAsTheOwnerReportedThem(boolean large) throws Exception {
        try (PeerServer other = start()) {
            assertThat(text(channels.call(other.peer(), call("a", large)))).isEqualTo("a done");
            assertThat(reply(channels.call(other.peer(), call("wrong", large))))
                    .isInstanceOfSatisfying(
                            Reply.NotDone.class,
                            no -> assertThat(no.why()).contains("does not own"));
            assertFailed(other, call("fail", large), ErrorCode.FAILED_PRECONDITION, "as you like");
            assertFailed(other, call("unsupported", large), ErrorCode.UNIMPLEMENTED, "not yet");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theTraceOfTheClientIsForwarded(boolean large) throws Exception {
        try (PeerServer other = start()) {
            PeerCall call = call("a", large);
            assertThat(text(channels.call(other.peer(), call))).isEqualTo("a done");
            assertThat(other.traces()).containsExactly(call.traceparent());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theOwnerStopsWorkingOnACallWhoseClientLeft(boolean large) throws Exception {
        try (PeerServer other = start()) {
            Cancellation client = Cancellation.never();
            PeerCall call = call("silence", large);
            CompletableFuture<Reply> unanswered =
                    channels.call(other.peer(), new PeerCall(call.text(), call.body(), client));
            assertThat(other.silent().await(60, TimeUnit.SECONDS)).isTrue();
            client.cancel();
            assertThat(other.cancelled().await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(reply(unanswered)).isInstanceOf(Reply.Failed.class);
        }
    }

    @Test
    void theStreamOutlivesTheRequestThatBeganIt() throws Exception {
        try (PeerServer other = start()) {
            Context.CancellableContext request = Context.current().withCancellation();
            CompletableFuture<Reply> unanswered =
                    request.call(() -> channels.call(other.peer(), call("silence", false)));
            assertThat(other.silent().await(60, TimeUnit.SECONDS)).isTrue();
            request.cancel(null);
            assertThat(text(channels.call(other.peer(), call("a", false)))).isEqualTo("a done");
            assertThat(unanswered).isNotDone();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFailedConnectionExecutesNothing(boolean large) throws Exception {
        PeerServer other = start();
        Peer gone = other.peer();
        other.close();
        assertThat(reply(channels.call(gone, call("a", large)))).isInstanceOf(Reply.NotDone.class);
    }

    @Test
    void aCallToAFailedServerIsUnknownAndTheNextOneFindsItsSuccessor() throws Exception {
        PeerServer other = start();
        Peer peer = other.peer();
        CompletableFuture<Reply> unanswered = channels.call(peer, call("silence", false));
        assertThat(other.silent().await(60, TimeUnit.SECONDS)).isTrue();
        other.close();
        assertThat(reply(unanswered))
                .isInstanceOfSatisfying(
                        Reply.Failed.class,
                        failed ->
                                assertThat(failed.failure())
                                        .hasMessageContaining("may have happened"));
        try (PeerServer again = PeerServer.start(TOKEN, ProtocolVersions.SUPPORTED, port(peer))) {
            Reply reply = reply(channels.call(again.peer(), call("a", false)));
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (reply instanceof Reply.NotDone && System.nanoTime() < end) {
                // gRPC waits briefly before it reconnects, and fails calls immediately until then.
                reply = reply(channels.call(again.peer(), call("a", false)));
                Thread.onSpinWait();
            }
            assertThat(reply).isInstanceOf(Reply.Answer.class);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aServerOfAnotherClusterIsRefused(boolean large) throws Exception {
        try (PeerServer other =
                PeerServer.start(PeerAuthentication.token("another"), ProtocolVersions.SUPPORTED)) {
            assertFailed(
                    other, call("a", large), ErrorCode.UNAUTHENTICATED, "servers of this cluster");
            assertThat(other.traces()).as("calls decoded").isEmpty();
        }
    }

    private void assertFailed(PeerServer other, PeerCall call, ErrorCode code, String text)
            throws Exception {
        assertThat(reply(channels.call(other.peer(), call)))
                .isInstanceOfSatisfying(
                        Reply.Failed.class,
                        failed -> {
                            assertThat(failed.failure().code()).isEqualTo(code);
                            assertThat(failed.failure()).hasMessageContaining(text);
                        });
    }

    private static int port(Peer peer) {
        return Integer.parseInt(peer.address().substring(peer.address().indexOf(':') + 1));
    }

    private static Reply reply(CompletableFuture<Reply> reply) throws Exception {
        return reply.get(60, TimeUnit.SECONDS);
    }

    private static String text(CompletableFuture<Reply> reply) throws Exception {
        return reply(reply) instanceof Reply.Answer(byte[] message)
                ? new String(message, StandardCharsets.UTF_8)
                : reply.get().toString();
    }
}
