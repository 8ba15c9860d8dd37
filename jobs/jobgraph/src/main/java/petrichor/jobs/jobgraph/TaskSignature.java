package petrichor.jobs.jobgraph;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * What a task is, in 16 hexadecimal digits: its operation, its chain, its user code, and the
 * signatures of what feeds it. Runs of the same program give the same signatures, so that what was
 * measured in one run is found again in the next. The number of subtasks is not part of it (that is
 * what a later run wants to change), nor is what a source reads or a sink writes (tomorrow's file
 * is another one).
 */
public record TaskSignature(String digits) {
    /** 64 bits tell a few million tasks apart. */
    private static final int BYTES = 8;

    /** The signatures of all tasks of a (checked) job, by vertex. */
    public static Map<Integer, TaskSignature> of(JobGraph job) {
        Map<Integer, TaskSignature> signatures = new HashMap<>();
        for (var vertex : job.inOrder()) {
            var digest = sha256();
            add(digest, operationOf(vertex));
            vertex.inputs().forEach(input -> add(digest, input));
            for (var step : vertex.chain()) {
                add(digest, step);
            }
            for (var edge : job.incoming(vertex.id())) {
                var before = signatures.get(edge.from());
                add(digest, edge.input() + " " + (before == null ? "" : before.digits()));
            }
            signatures.put(
                    vertex.id(),
                    new TaskSignature(HexFormat.of().formatHex(digest.digest(), 0, BYTES)));
        }
        return Map.copyOf(signatures);
    }

    /** What of a vertex' operation is the program's, not the data's. */
    private static Object operationOf(JobVertex vertex) {
        return switch (vertex.operation()) {
            case Operation.Read(var source) ->
                    "read " + source.getClass().getName() + source.type();
            case Operation.Write(var sink) -> "write " + sink.getClass().getName();
            case Operation.Relay _,
                    Operation.SortedReduce _,
                    Operation.HashAggregate _,
                    Operation.SortedAggregate _,
                    Operation.MergeJoin _,
                    Operation.HashJoin _,
                    Operation.Cross _,
                    Operation.CoGroup _ ->
                    vertex.operation();
        };
    }

    private static void add(MessageDigest digest, Object part) {
        digest.update(serialized(part));
        digest.update((byte) 0);
    }

    /**
     * Serialized user code names the class and method that the lambda was written in, which stays
     * the same from run to run; its class name in memory does not.
     */
    private static byte[] serialized(Object part) {
        var bytes = new ByteArrayOutputStream();
        try (var out = new ObjectOutputStream(bytes)) {
            out.writeObject(part);
        } catch (IOException e) {
            // User code that holds something that cannot be serialized runs in this process all
            // the same; then its kind is all that is known of it.
            return part.getClass().getName().getBytes(StandardCharsets.UTF_8);
        }
        return bytes.toByteArray();
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new PetrichorException(
                    ErrorCode.INTERNAL, "this JDK has no SHA-256", Map.of(), e);
        }
    }
}
