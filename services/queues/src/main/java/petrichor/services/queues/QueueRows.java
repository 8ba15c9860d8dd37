package petrichor.services.queues;

import petrichor.base.Bytes;
import petrichor.base.OrderedReader;
import petrichor.base.OrderedWriter;
import petrichor.kv.KeyRange;

/**
 * Keys of the rows of queues. The first byte is the type of row in the database, the second one the
 * kind of row here:
 *
 * <table>
 * <caption>Rows</caption>
 * <tr><td>D</td><td>queue</td><td>the definition of a queue</td></tr>
 * <tr><td>T</td><td>queue, task</td><td>the content of a task</td></tr>
 * <tr><td>S</td><td>queue, task</td><td>the state of a task, or its tombstone</td></tr>
 * <tr><td>E</td><td>queue, ETA, task</td><td>the order of dispatch; no value</td></tr>
 * <tr><td>G</td><td>queue, tag, ETA, task</td><td>the same order within a tag, of pull queues</td></tr>
 * <tr><td>X</td><td>end, queue, task</td><td>the order in which tombstones end</td></tr>
 * <tr><td>C</td><td>job</td><td>a cron job</td></tr>
 * </table>
 */
public final class QueueRows {
    /** Type of the rows in a database. */
    public static final char TYPE = 'Q';

    private static final char DEFINITION = 'D';
    private static final char CONTENT = 'T';
    private static final char STATE = 'S';
    private static final char ORDER = 'E';
    private static final char TAGGED = 'G';
    private static final char TOMBSTONE = 'X';
    private static final char CRON = 'C';

    private QueueRows() {}

    private static OrderedWriter of(char kind) {
        return new OrderedWriter().put(TYPE).put(kind);
    }

    static byte[] definition(String queue) {
        return of(DEFINITION).putString(queue).toBytes();
    }

    static byte[] content(String queue, String task) {
        return of(CONTENT).putString(queue).putString(task).toBytes();
    }

    static byte[] state(String queue, String task) {
        return of(STATE).putString(queue).putString(task).toBytes();
    }

    static byte[] order(String queue, long etaMicros, String task) {
        return of(ORDER).putString(queue).putLong(etaMicros).putString(task).toBytes();
    }

    static byte[] tagged(String queue, byte[] tag, long etaMicros, String task) {
        return of(TAGGED)
                .putString(queue)
                .putString(tag)
                .putLong(etaMicros)
                .putString(task)
                .toBytes();
    }

    static byte[] tombstone(long endMicros, String queue, String task) {
        return of(TOMBSTONE).putLong(endMicros).putString(queue).putString(task).toBytes();
    }

    /** The row of a cron job. */
    public static byte[] cronJob(String job) {
        return of(CRON).putString(job).toBytes();
    }

    public static KeyRange cronJobs() {
        return below(of(CRON).toBytes());
    }

    static KeyRange definitions() {
        return below(of(DEFINITION).toBytes());
    }

    static KeyRange states(String queue) {
        return below(of(STATE).putString(queue).toBytes());
    }

    /** States of tasks from this name on. */
    static KeyRange statesFrom(String queue, String task) {
        return new KeyRange(state(queue, task), states(queue).to());
    }

    static KeyRange orders(String queue) {
        return below(of(ORDER).putString(queue).toBytes());
    }

    /** Tasks from this place in the order on. */
    static KeyRange ordersFrom(String queue, Due from) {
        return new KeyRange(order(queue, from.etaMicros(), from.task()), orders(queue).to());
    }

    /** Tasks whose ETA is not after this time. */
    static KeyRange ordersUpTo(String queue, long etaMicros) {
        return new KeyRange(
                orders(queue).from(), of(ORDER).putString(queue).putLong(etaMicros + 1).toBytes());
    }

    static KeyRange taggedUpTo(String queue, byte[] tag, long etaMicros) {
        return new KeyRange(
                of(TAGGED).putString(queue).putString(tag).toBytes(),
                of(TAGGED).putString(queue).putString(tag).putLong(etaMicros + 1).toBytes());
    }

    static KeyRange tagged(String queue, byte[] tag) {
        return below(of(TAGGED).putString(queue).putString(tag).toBytes());
    }

    static KeyRange tombstonesUpTo(long micros) {
        return new KeyRange(of(TOMBSTONE).toBytes(), of(TOMBSTONE).putLong(micros + 1).toBytes());
    }

    /** All rows of queues. */
    static KeyRange all() {
        return below(new byte[] {TYPE});
    }

    private static KeyRange below(byte[] prefix) {
        return new KeyRange(prefix, Bytes.afterPrefix(prefix));
    }

    static String queueOfDefinition(byte[] key) {
        return new OrderedReader(key, 2).takeString();
    }

    static String taskOfState(byte[] key) {
        OrderedReader reader = new OrderedReader(key, 2);
        reader.skipString();
        return reader.takeString();
    }

    static Due dueOfOrder(byte[] key) {
        OrderedReader reader = new OrderedReader(key, 2);
        reader.skipString();
        return new Due(reader.takeLong(), reader.takeString());
    }

    static Due dueOfTagged(byte[] key) {
        OrderedReader reader = new OrderedReader(key, 2);
        reader.skipString();
        reader.skipString();
        return new Due(reader.takeLong(), reader.takeString());
    }

    /** The task of a tombstone: its queue and name. */
    static String[] taskOfTombstone(byte[] key) {
        OrderedReader reader = new OrderedReader(key, 2);
        reader.skip(Long.BYTES);
        return new String[] {reader.takeString(), reader.takeString()};
    }

    /** A place in the order of a queue. */
    public record Due(long etaMicros, String task) implements Comparable<Due> {
        @Override
        public int compareTo(Due other) {
            int byEta = Long.compare(etaMicros, other.etaMicros);
            return byEta != 0 ? byEta : task.compareTo(other.task);
        }

        /** The next possible place. */
        public Due successor() {
            return new Due(etaMicros, task + "\0");
        }
    }
}
