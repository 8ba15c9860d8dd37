package petrichor.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.Cancellation;
import petrichor.coordination.Member;
import petrichor.frontends.datastore.ByteMessages;
import petrichor.frontends.datastore.PeerMessages;

/** What callers get to know of calls to another server, over real connections. */
class PeerChannelsTest {
    private static final String METHOD = "test.Service/Do";
    private static final byte[] LARGE = new byte[PeerMessages.REQUEST_BYTES_MAX + 1];

    private final PeerChannels channels =
            new PeerChannels(new ClusterSettings(Duration.ofSeconds(1), true, null));
    private final Other other = new Other();

    @AfterEach
    void close() {
        channels.close();
        other.stop();
    }

    @Test
    void eachCallGetsItsOwnAnswer() throws Exception {
        Member member = other.start(0);
        List<CompletableFuture<Reply>> replies =
                IntStream.range(0, 1_000)
                        .mapToObj(
                                i ->
                                        channels.call(
                                                member,
                                                METHOD,
                                                bytes("call " + i),
                                                Cancellation.never()))
                        .toList();
        for (int i = 0; i < replies.size(); i++) {
            assertThat(text(replies.get(i))).isEqualTo("call " + i + " done");
        }
        assertThat(other.messages).as("messages for 1000 calls").hasValueLessThan(1_000);
    }

    @Test
    void aLargeRequestGoesItsOwnWay() throws Exception {
        Member member = other.start(0);
        assertThat(text(channels.call(member, METHOD, LARGE, Cancellation.never())))
                .isEqualTo("alone");
    }

    @Test
    void theStreamOutlivesTheRequestThatBeganIt() throws Exception {
        Member member = other.start(0);
        Context.CancellableContext request = Context.current().withCancellation();
        CompletableFuture<Reply> unanswered =
                request.call(
                        () ->
                                channels.call(
                                        member, METHOD, bytes("silence"), Cancellation.never()));
        assertThat(other.asked.await(60, TimeUnit.SECONDS)).isTrue();
        request.cancel(null);
        assertThat(text(channels.call(member, METHOD, bytes("a"), Cancellation.never())))
                .isEqualTo("a done");
        assertThat(unanswered).isNotDone();
    }

    @Test
    void aCallThatCameToTheWrongServerWasNotDone() throws Exception {
        Member member = other.start(0);
        assertThat(
                        channels.call(member, METHOD, bytes("wrong"), Cancellation.never())
                                .get(60, TimeUnit.SECONDS))
                .isInstanceOfSatisfying(
                        Reply.NotDone.class, no -> assertThat(no.why()).contains("does not own"));
    }

    @Test
    void aFailureIsToldInTheOtherServersWords() throws Exception {
        Member member = other.start(0);
        assertThat(
                        channels.call(member, METHOD, bytes("fail"), Cancellation.never())
                                .get(60, TimeUnit.SECONDS))
                .isInstanceOfSatisfying(
                        Reply.Failed.class,
                        failed -> assertThat(failed.failure()).hasMessage("as you like"));
    }

    @Test
    void whereNobodyListensNothingWasDone() throws Exception {
        Member member = other.start(0);
        other.stop();
        assertThat(
                        channels.call(member, METHOD, bytes("a"), Cancellation.never())
                                .get(60, TimeUnit.SECONDS))
                .isInstanceOf(Reply.NotDone.class);
    }

    @Test
    void aCallThatWasSentToAServerThatDiedMayHaveBeenDoneAndTheNextOneFindsItsSuccessor()
            throws Exception {
        Member member = other.start(0);
        CompletableFuture<Reply> unanswered =
                channels.call(member, METHOD, bytes("silence"), Cancellation.never());
        assertThat(other.asked.await(60, TimeUnit.SECONDS)).isTrue();
        other.stop();
        assertThat(unanswered.get(60, TimeUnit.SECONDS))
                .isInstanceOfSatisfying(
                        Reply.Failed.class,
                        failed ->
                                assertThat(failed.failure())
                                        .hasMessageContaining("may have happened"));
        Member again = other.start(port(member));
        Reply reply =
                channels.call(again, METHOD, bytes("a"), Cancellation.never())
                        .get(60, TimeUnit.SECONDS);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (reply instanceof Reply.NotDone && System.nanoTime() < end) {
            // gRPC waits a little before it connects again, and says so at once.
            reply =
                    channels.call(again, METHOD, bytes("a"), Cancellation.never())
                            .get(60, TimeUnit.SECONDS);
            Thread.onSpinWait();
        }
        assertThat(reply).isInstanceOf(Reply.Answer.class);
    }

    private static int port(Member member) {
        return Integer.parseInt(member.address().substring(member.address().indexOf(':') + 1));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(CompletableFuture<Reply> reply) throws Exception {
        return reply.get(60, TimeUnit.SECONDS) instanceof Reply.Answer(byte[] message)
                ? new String(message, StandardCharsets.UTF_8)
                : reply.get().toString();
    }

    /** The other server. */
    private static final class Other {
        private final CountDownLatch asked = new CountDownLatch(1);
        private volatile Server server = NettyServerBuilder.forPort(0).build();
        private final AtomicInteger messages = new AtomicInteger();

        Member start(int port) throws IOException {
            server =
                    NettyServerBuilder.forAddress(
                                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                            .directExecutor()
                            .addService(
                                    ServerServiceDefinition.builder("petrichor.cluster.v1.Peers")
                                            .addMethod(PeerMessages.stream(), this::exchange)
                                            .build())
                            .addService(
                                    ServerServiceDefinition.builder("test.Service")
                                            .addMethod(ByteMessages.method(METHOD), this::alone)
                                            .build())
                            .build()
                            .start();
            return new Member("m", "localhost:" + server.getPort(), 1, Duration.ofSeconds(1));
        }

        void stop() {
            server.shutdownNow();
            try {
                server.awaitTermination();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        private ServerCall.Listener<byte[]> exchange(
                ServerCall<byte[], byte[]> call, Metadata headers) {
            call.sendHeaders(new Metadata());
            call.request(1);
            return new ServerCall.Listener<>() {
                @Override
                public void onMessage(byte[] message) {
                    messages.incrementAndGet();
                    for (PeerMessages.Call one : PeerMessages.decodeCalls(message)) {
                        String said = new String(one.request(), StandardCharsets.UTF_8);
                        switch (said) {
                            case "silence" -> asked.countDown();
                            case "wrong" -> reply(one.id(), PeerMessages.NOT_MINE, "");
                            case "fail" ->
                                    reply(
                                            one.id(),
                                            Status.Code.FAILED_PRECONDITION.value(),
                                            "as you like");
                            default -> reply(one.id(), PeerMessages.ANSWERED, said + " done");
                        }
                    }
                    call.request(1);
                }

                private void reply(long id, int outcome, String text) {
                    call.sendMessage(
                            PeerMessages.encodeReplies(
                                    List.of(new PeerMessages.Reply(id, outcome, bytes(text)))));
                }
            };
        }

        private ServerCall.Listener<byte[]> alone(
                ServerCall<byte[], byte[]> call, Metadata headers) {
            call.request(2);
            return new ServerCall.Listener<>() {
                @Override
                public void onHalfClose() {
                    call.sendHeaders(new Metadata());
                    call.sendMessage(bytes("alone"));
                    call.close(Status.OK, new Metadata());
                }
            };
        }
    }
}
