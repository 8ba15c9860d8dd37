package petrichor.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers of different releases agree on a version, or refuse each other before any work. */
class ProtocolVersionsTest {
    @ParameterizedTest
    @CsvSource({"1-1, 1", "1-2, 2", "2-5, 3", "3-4, 3"})
    void theHighestCommonVersionIsSpoken(String offered, int chosen) {
        assertThat(new ProtocolVersions(1, 3).common(offered)).hasValue(chosen);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1-1", "4-5", "", "2", "3-2", "x-y", "99999999-99999999"})
    void withoutACommonVersionThereIsNone(String offered) {
        assertThat(new ProtocolVersions(2, 3).common(offered)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 1, 2", "1, 2, 1, 1", "1, 2, 2, 3"})
    void serversOfNeighbouringReleasesTalk(int min, int max, int otherMin, int otherMax)
            throws Exception {
        for (boolean large : new boolean[] {false, true}) {
            assertThat(
                            asked(
                                    new ProtocolVersions(min, max),
                                    new ProtocolVersions(otherMin, otherMax),
                                    large))
                    .isInstanceOfSatisfying(
                            Reply.Answer.class,
                            answer ->
                                    assertThat(new String(answer.message(), StandardCharsets.UTF_8))
                                            .isEqualTo("a done"));
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 2, 3", "3, 4, 1, 2"})
    void serversOfDistantReleasesRefuseEachOther(int min, int max, int otherMin, int otherMax)
            throws Exception {
        for (boolean large : new boolean[] {false, true}) {
            assertThat(
                            asked(
                                    new ProtocolVersions(min, max),
                                    new ProtocolVersions(otherMin, otherMax),
                                    large))
                    .isInstanceOfSatisfying(
                            Reply.NotDone.class,
                            refused ->
                                    assertThat(refused.why())
                                            .contains(
                                                    otherMin + "-" + otherMax,
                                                    min + "-" + max,
                                                    "one release at a time"));
        }
    }

    private static Reply asked(ProtocolVersions mine, ProtocolVersions others, boolean large)
            throws Exception {
        try (PeerServer other = PeerServer.start(PeerAuthentication.NONE, others);
                PeerChannels channels = new PeerChannels(PeerAuthentication.NONE, mine)) {
            return channels.call(other.peer(), large ? PeerCall.large("a") : new PeerCall("a"))
                    .get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void aServerFromBeforeTheFirstVersionGetsTheReason() throws Exception {
        MethodDescriptor<byte[], byte[]> former =
                ByteMessages.method(PeerMethods.FORMER_SERVICE + "/Exchange");
        try (PeerServer other =
                PeerServer.start(PeerAuthentication.NONE, ProtocolVersions.SUPPORTED)) {
            ManagedChannel channel =
                    NettyChannelBuilder.forTarget("dns:///" + other.peer().address())
                            .usePlaintext()
                            .build();
            try {
                var _ =
                        ClientCalls.blockingUnaryCall(
                                channel, former, CallOptions.DEFAULT, new byte[0]);
                throw new AssertionError("not refused");
            } catch (StatusRuntimeException refused) {
                assertThat(refused.getStatus().getCode())
                        .isEqualTo(Status.Code.FAILED_PRECONDITION);
                assertThat(refused.getStatus().getDescription()).contains("versions 1-1");
            } finally {
                channel.shutdownNow();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aServerFromBeforeTheFirstVersionDoesNothing(boolean large) throws Exception {
        var former = NettyServerBuilder.forPort(0).directExecutor().build().start();
        try (PeerChannels channels =
                new PeerChannels(PeerAuthentication.NONE, ProtocolVersions.SUPPORTED)) {
            Peer peer = new Peer("m", "localhost:" + former.getPort());
            assertThat(
                            channels.call(peer, large ? PeerCall.large("a") : new PeerCall("a"))
                                    .get(60, TimeUnit.SECONDS))
                    .isInstanceOfSatisfying(
                            Reply.NotDone.class,
                            refused -> assertThat(refused.why()).contains("cannot execute"));
        } finally {
            former.shutdownNow();
        }
    }
}
