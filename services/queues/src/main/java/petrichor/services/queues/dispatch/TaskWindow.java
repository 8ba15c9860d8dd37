package petrichor.services.queues.dispatch;

import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import petrichor.services.queues.QueueRows.Due;

/**
 * The next tasks of a queue, in the order of their ETAs: contains every task before {@link
 * #cursor}, except those that are being delivered, and possibly tasks that no longer exist.
 * Confined to the turns of a dispatcher.
 */
final class TaskWindow {
    private final int tasksMax;
    private final TreeSet<Due> tasks = new TreeSet<>();

    /** Tasks from here on are not in the window; null if it contains the whole queue. */
    private @Nullable Due cursor = new Due(0, "");

    TaskWindow(int tasksMax) {
        this.tasksMax = tasksMax;
    }

    /** Where the next scan begins; null if none is needed. */
    @Nullable Due cursor() {
        return cursor;
    }

    boolean needsScan() {
        return cursor != null && tasks.size() <= tasksMax / 2;
    }

    /** Starts over; hints may have been lost. */
    void restart() {
        cursor = new Due(0, "");
    }

    int free() {
        return Math.max(1, tasksMax - tasks.size());
    }

    /**
     * Adds what a scan from the cursor found.
     *
     * @param end whether it found the end of the queue
     */
    void scanned(List<Due> found, boolean end) {
        tasks.addAll(found);
        cursor = end ? null : found.getLast().successor();
    }

    /**
     * Adds a task of which a commit gave a hint; if the window is full, a later scan will find it.
     */
    void add(Due task) {
        if (cursor != null && task.compareTo(cursor) >= 0) {
            return;
        }
        tasks.add(task);
        if (tasks.size() > tasksMax) {
            cursor = tasks.removeLast();
        }
    }

    /** Tasks in the window that are due. */
    int due(long nowMicros) {
        return tasks.headSet(new Due(nowMicros + 1, "")).size();
    }

    boolean isEmpty() {
        return tasks.isEmpty();
    }

    /** Only if it is not empty. */
    Due first() {
        return tasks.getFirst();
    }

    Due removeFirst() {
        return tasks.removeFirst();
    }
}
