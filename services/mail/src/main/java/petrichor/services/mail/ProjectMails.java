package petrichor.services.mail;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.RateLimit;
import petrichor.services.mail.StoredMail.State;

/**
 * The mails of one project on the server that owns its database: rows, and the heads in memory.
 * Thread-safe; one delivery runs at a time.
 */
final class ProjectMails {
    private final MailRows rows;
    private final MailLimits limits;
    private final RateLimit rate;
    private final TreeMap<Long, StoredMail> heads = new TreeMap<>();
    private final ReentrantLock delivering = new ReentrantLock();

    /** Reads the heads, and deletes what a crash left. */
    ProjectMails(MailRows rows, MailLimits limits, RateLimit rate) {
        this.rows = rows;
        this.limits = limits;
        this.rate = rate;
        List<StoredMail> stored = rows.heads();
        rows.removeRemains(stored);
        stored.forEach(mail -> heads.put(mail.id(), mail));
    }

    MailRows rows() {
        return rows;
    }

    ReentrantLock delivering() {
        return delivering;
    }

    /** RESOURCE_EXHAUSTED if the project sends too many mails. */
    synchronized void requireCapacity() {
        if (!rate.take(1)) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "the app sends more than {perMinuteMax} mails in a minute; retry later",
                    "perMinuteMax",
                    limits.perMinuteMax());
        }
        List<StoredMail> queued = all(State.QUEUED);
        long bytes = queued.stream().mapToLong(StoredMail::bytes).sum();
        if (queued.size() >= limits.queuedMax() || bytes >= MailLimits.QUEUED_BYTES_MAX) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "{mails} mails of the app are waiting already; retry later",
                    "mails",
                    queued.size());
        }
    }

    synchronized long nextId(long nowMicros) {
        return heads.isEmpty() ? nowMicros : Math.max(nowMicros, heads.lastKey() + 1);
    }

    void insert(StoredMail mail, byte[] content) {
        rows.insert(mail, content);
        put(mail);
    }

    void update(StoredMail mail) {
        rows.update(mail);
        put(mail);
    }

    private synchronized void put(StoredMail mail) {
        heads.put(mail.id(), mail);
    }

    void delete(long id) {
        rows.delete(id);
        synchronized (this) {
            heads.remove(id);
        }
    }

    synchronized List<StoredMail> due(long nowMicros) {
        return all(State.QUEUED).stream()
                .filter(mail -> mail.state().dueMicros() <= nowMicros)
                .sorted(Comparator.comparingLong(mail -> mail.state().dueMicros()))
                .toList();
    }

    synchronized int count(State state) {
        return all(state).size();
    }

    private List<StoredMail> all(State state) {
        return heads.values().stream().filter(mail -> mail.is(state)).toList();
    }

    /** Deletes the oldest of the mails that are only kept for inspection. */
    void limitInspected() {
        inspectedBeyondLimit().forEach(this::delete);
    }

    private synchronized List<Long> inspectedBeyondLimit() {
        int count = 0;
        long bytes = 0;
        java.util.ArrayList<Long> beyond = new java.util.ArrayList<>();
        for (Map.Entry<Long, StoredMail> entry : heads.descendingMap().entrySet()) {
            StoredMail mail = entry.getValue();
            if (mail.is(State.QUEUED)) {
                continue;
            }
            count++;
            bytes += mail.bytes();
            if (count > limits.keptMax() || (bytes > MailLimits.KEPT_BYTES_MAX && count > 1)) {
                beyond.add(entry.getKey());
            }
        }
        return beyond;
    }
}
