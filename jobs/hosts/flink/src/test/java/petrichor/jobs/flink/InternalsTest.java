package petrichor.jobs.flink;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.flink.client.program.ClusterClient;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.runtime.io.network.api.EndOfPartitionEvent;
import org.apache.flink.runtime.io.network.api.writer.ResultPartitionWriter;
import org.apache.flink.runtime.io.network.partition.ResultPartitionType;
import org.apache.flink.runtime.io.network.partition.consumer.BufferOrEvent;
import org.apache.flink.runtime.io.network.partition.consumer.InputGate;
import org.apache.flink.runtime.jobgraph.DistributionPattern;
import org.apache.flink.runtime.jobgraph.IntermediateDataSetID;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobGraphBuilder;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.tasks.AbstractInvokable;
import org.apache.flink.runtime.jobmanager.scheduler.SlotSharingGroup;
import org.apache.flink.runtime.throwable.ThrowableClassifier;
import org.apache.flink.runtime.throwable.ThrowableType;
import org.apache.flink.runtime.util.EnvironmentInformation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Verifies the internal behaviour of Flink on which this module relies, without Petrichor's engine:
 * when the version changes, this test shows first what has changed.
 */
@ExtendWith(OneFlink.class)
@Timeout(60)
final class InternalsTest {
    private static final int SENDERS = 3;

    /** Smaller than a buffer, several buffers, and one byte. */
    private static final List<Integer> LENGTHS = List.of(5, 100_000, 1, 32 << 10, 12);

    /** Received bytes by receiver and edge, and by channel. Everything runs in this process. */
    private static final Map<String, byte[]> ARRIVED = new ConcurrentHashMap<>();

    private final ClusterClient<?> client;

    InternalsTest(OneFlink flink) {
        this.client = flink.cluster().client();
    }

    @Test
    void theVersionIsTheVerifiedOne() {
        assertThat(EnvironmentInformation.getVersion()).isEqualTo("2.3.0");
    }

    @Test
    void aPipelinedResultNeedsItsReceiverToRun() {
        assertThat(ResultPartitionType.PIPELINED_BOUNDED.mustBePipelinedConsumed()).isTrue();
        assertThat(ResultPartitionType.PIPELINED_BOUNDED.isReleaseByUpstream()).isTrue();
    }

    @Test
    void aPermanentFailureIsRecognized() {
        assertThat(
                        ThrowableClassifier.getThrowableType(
                                new SuppressRestartsException(new RuntimeException())))
                .isEqualTo(ThrowableType.NonRecoverableError);
    }

    /**
     * Bytes are appended, independently of buffer sizes; gates are numbered in the order in which
     * inputs were connected, results are found by their ids; an end of each channel arrives; a
     * result that is connected pointwise has one subpartition, which leads to the receiver with the
     * sender's number.
     */
    @Test
    void bytesArriveInOrderAtTheirReceivers() throws Exception {
        ARRIVED.clear();
        var result = client.requestJobResult(client.submitJob(graph()).get()).get();
        assertThat(result.getSerializedThrowable()).isEmpty();
        Map<String, byte[]> expected = new TreeMap<>();
        for (int receiver = 0; receiver < SENDERS; receiver++) {
            for (int sender = 0; sender < SENDERS; sender++) {
                expected.put("all " + sender + ">" + receiver, bytes(sender, receiver));
            }
            expected.put("one " + receiver + ">" + receiver, bytes(receiver, 0));
        }
        assertThat(ARRIVED.keySet()).isEqualTo(expected.keySet());
        expected.forEach((way, bytes) -> assertThat(ARRIVED.get(way)).as(way).isEqualTo(bytes));
    }

    @Test
    void aJobWithoutAClientHeartbeatEnds() throws Exception {
        JobVertex sleeper = new JobVertex("sleeper");
        sleeper.setInvokableClass(Sleeper.class);
        sleeper.setParallelism(1);
        JobGraph graph =
                JobGraphBuilder.newBatchJobGraphBuilder()
                        .addJobVertex(sleeper)
                        .setJobName("silent")
                        .build();
        graph.setInitialClientHeartbeatTimeout(500);
        var result = client.requestJobResult(client.submitJob(graph).get()).get();
        assertThat(result.isSuccess()).isFalse();
    }

    /** Tasks on the same machine are recognized by Flink's description of the machine. */
    @Test
    void tasksShareAMachineNameOnlyOnTheSameMachine() throws Exception {
        ARRIVED.clear();
        JobVertex tellers = vertex("tellers", Teller.class);
        tellers.setParallelism(OneFlink.MACHINES * OneFlink.SLOTS);
        JobGraph graph =
                JobGraphBuilder.newBatchJobGraphBuilder()
                        .addJobVertex(tellers)
                        .setJobName("machines")
                        .build();
        var result = client.requestJobResult(client.submitJob(graph).get()).get();
        assertThat(result.getSerializedThrowable()).isEmpty();
        assertThat(ARRIVED).hasSize(OneFlink.MACHINES * OneFlink.SLOTS);
        assertThat(ARRIVED.values().stream().map(String::new).distinct())
                .hasSize(OneFlink.MACHINES);
    }

    /** Reports its location; all slots are in use at once. */
    public static final class Teller extends AbstractInvokable {
        public Teller(Environment environment) {
            super(environment);
        }

        @Override
        public void invoke() {
            ARRIVED.put(
                    "teller " + getIndexInSubtaskGroup(),
                    StageTask.machine(getEnvironment()).getBytes(UTF_8));
        }
    }

    /** Sleeps until it is interrupted. */
    public static final class Sleeper extends AbstractInvokable {
        public Sleeper(Environment environment) {
            super(environment);
        }

        @Override
        public void invoke() throws Exception {
            Thread.sleep(3_600_000);
        }
    }

    private static JobGraph graph() {
        JobVertex from = vertex("from", Sender.class);
        JobVertex to = vertex("to", GateConsumer.class);
        SlotSharingGroup slots = new SlotSharingGroup();
        from.setSlotSharingGroup(slots);
        to.setSlotSharingGroup(slots);
        to.connectNewDataSetAsInput(
                from,
                DistributionPattern.ALL_TO_ALL,
                ResultPartitionType.PIPELINED_BOUNDED,
                id(0),
                false,
                false);
        to.connectNewDataSetAsInput(
                from,
                DistributionPattern.POINTWISE,
                ResultPartitionType.PIPELINED_BOUNDED,
                id(1),
                false,
                true);
        return JobGraphBuilder.newBatchJobGraphBuilder()
                .addJobVertex(from)
                .addJobVertex(to)
                .setJobName("internals")
                .build();
    }

    private static IntermediateDataSetID id(int edge) {
        return new IntermediateDataSetID(new JobVertexID(1, 0), edge);
    }

    private static final ConfigOption<Integer> NUMBER =
            ConfigOptions.key("test.number").intType().defaultValue(0);

    private static JobVertex vertex(String name, Class<? extends AbstractInvokable> code) {
        JobVertex vertex = new JobVertex(name);
        vertex.setInvokableClass(code);
        vertex.setParallelism(SENDERS);
        vertex.getConfiguration().set(NUMBER, 4711);
        return vertex;
    }

    /** First the sender's number, then bytes that are unique for this sender and receiver. */
    private static byte[] bytes(int sender, int receiver) {
        byte[] all = new byte[LENGTHS.stream().mapToInt(Integer::intValue).sum()];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) (i * 31 + sender * 7 + receiver);
        }
        all[0] = (byte) sender;
        return all;
    }

    /** Writes to all receivers of its first result, and to the only one of its second. */
    public static final class Sender extends AbstractInvokable {
        public Sender(Environment environment) {
            super(environment);
        }

        @Override
        public void invoke() throws Exception {
            assertThat(getTaskConfiguration().get(NUMBER)).isEqualTo(4711);
            for (ResultPartitionWriter result : getEnvironment().getAllWriters()) {
                IntermediateDataSetID id =
                        result.getPartitionId().getPartitionId().getIntermediateDataSetID();
                assertThat(Stream.of(id(0), id(1))).contains(id);
                assertThat(result.getNumberOfSubpartitions()).isEqualTo(id.equals(id(0)) ? 3 : 1);
                for (int to = 0; to < result.getNumberOfSubpartitions(); to++) {
                    ByteBuffer bytes = ByteBuffer.wrap(bytes(getIndexInSubtaskGroup(), to));
                    for (int length : LENGTHS) {
                        ByteBuffer some = bytes.slice(bytes.position(), length);
                        result.emitRecord(some, to);
                        assertThat(some.hasRemaining()).isFalse();
                        bytes.position(bytes.position() + length);
                    }
                    result.flush(to);
                }
            }
        }
    }

    /** Reads both gates to their ends, each on a thread that is not the task's. */
    public static final class GateConsumer extends AbstractInvokable {
        public GateConsumer(Environment environment) {
            super(environment);
        }

        @Override
        public void invoke() throws Exception {
            List<Thread> readers =
                    List.of(
                            Thread.ofPlatform().start(() -> read("all ", 0)),
                            Thread.ofPlatform().start(() -> read("one ", 1)));
            for (Thread reader : readers) {
                reader.join();
            }
        }

        private void read(String edge, int number) {
            try {
                InputGate gate = getEnvironment().getInputGate(number);
                GateReader.open(gate);
                Map<Integer, ByteArrayOutputStream> channels = new TreeMap<>();
                int ends = 0;
                for (var next = gate.getNext(); next.isPresent(); next = gate.getNext()) {
                    BufferOrEvent what = next.get();
                    int channel = what.getChannelInfo().getInputChannelIdx();
                    if (what.isBuffer()) {
                        byte[] bytes = new byte[what.getBuffer().readableBytes()];
                        what.getBuffer().getNioBufferReadable().get(bytes);
                        what.getBuffer().recycleBuffer();
                        channels.computeIfAbsent(channel, _ -> new ByteArrayOutputStream())
                                .writeBytes(bytes);
                    } else if (what.getEvent() instanceof EndOfPartitionEvent) {
                        ends++;
                    }
                }
                assertThat(ends).isEqualTo(gate.getNumberOfInputChannels());
                for (ByteArrayOutputStream channel : channels.values()) {
                    byte[] bytes = channel.toByteArray();
                    ARRIVED.put(edge + bytes[0] + ">" + getIndexInSubtaskGroup(), bytes);
                }
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }
}
