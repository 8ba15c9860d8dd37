package petrichor.jobs.python;

import java.util.Arrays;
import java.util.List;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;
import petrichor.jobs.records.Words;

/**
 * Collects the records of a subtask's calls for its worker. Belongs to one thread.
 *
 * <p>The content of a batch's frame, 32-bit integers, little-endian: the number of groups that
 * start in it; the number of inputs; for each starting group its first row in each input; for each
 * input the length of its message. Then the messages, each aligned to eight bytes.
 */
final class Batches {
    private final List<BatchWriter> writers;
    private int[] starts = new int[64];
    private int groups;

    Batches(List<RecordType> inputs) {
        this.writers = inputs.stream().map(BatchWriter::new).toList();
    }

    void add(int input, RecordView record) {
        writers.get(input).add(record);
    }

    /** The next record of each input starts a group. */
    void beginGroup() {
        int inputs = writers.size();
        if (starts.length < (groups + 1) * inputs) {
            starts = Arrays.copyOf(starts, starts.length * 2);
        }
        for (int i = 0; i < inputs; i++) {
            starts[groups * inputs + i] = writers.get(i).rows();
        }
        groups++;
    }

    boolean isFull() {
        for (int i = 0; i < writers.size(); i++) {
            if (writers.get(i).isFull()) {
                return true;
            }
        }
        return groups >= BatchWriter.BATCH_ROWS_MAX;
    }

    boolean isEmpty() {
        return groups == 0 && writers.stream().allMatch(writer -> writer.rows() == 0);
    }

    /** Returns everything since the last call. */
    byte[] take() {
        int inputs = writers.size();
        var messages = writers.stream().map(BatchWriter::take).toList();
        int at = BatchWriter.aligned(Integer.BYTES * (2 + groups * inputs + inputs));
        byte[] content = new byte[at + messages.stream().mapToInt(one -> one.length).sum()];
        Words.int32(content, 0, groups);
        Words.int32(content, Integer.BYTES, inputs);
        int number = 2;
        for (int i = 0; i < groups * inputs; i++) {
            Words.int32(content, Integer.BYTES * number++, starts[i]);
        }
        for (byte[] message : messages) {
            Words.int32(content, Integer.BYTES * number++, message.length);
            System.arraycopy(message, 0, content, at, message.length);
            at += message.length;
        }
        groups = 0;
        return content;
    }
}
