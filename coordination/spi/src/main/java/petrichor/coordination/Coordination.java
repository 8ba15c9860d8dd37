package petrichor.coordination;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.coordination.Ledger.Change;
import petrichor.coordination.Ledger.Entry;
import petrichor.coordination.Ledger.Place;

/**
 * The view of a cluster from one process: {@link #join} makes it a member, the other methods read
 * the shared state. Thread-safe. Owns the ledger.
 *
 * <p>Polls watched state with every heartbeat (an eighth of the lease), rather than relying on the
 * service's notifications, some of which are lost with a connection. A process that did not join
 * does not observe changes.
 *
 * <p>Failures: {@code UNAVAILABLE} while the ledger is unreachable.
 */
public final class Coordination implements AutoCloseable {
    static final String MEMBERS = "members";
    static final String HOLDINGS = "holdings";
    private static final String VALUES = "values";

    private final Ledger ledger;
    private final TimeSource time;
    private final LeaseExpiryTracker expiry = new LeaseExpiryTracker();
    private final List<Consumer<List<Member>>> memberWatchers = new CopyOnWriteArrayList<>();
    private final List<ValueWatch> valueWatches = new CopyOnWriteArrayList<>();
    private volatile List<Member> lastSeen = List.of();

    private record ValueWatch(String name, long[] version, Consumer<Value> watcher) {}

    public Coordination(Ledger ledger, TimeSource time) {
        this.ledger = ledger;
        this.time = time;
    }

    /**
     * Becomes a member; returns when it is recorded in the ledger.
     *
     * @param address where other servers reach this one, {@code host:port}
     * @param lease how long others wait without a heartbeat before they take over what a member
     *     holds
     */
    public Membership join(String address, Duration lease) {
        return Membership.begin(this, address, lease);
    }

    /**
     * The members in the ledger now, the oldest first; a failed member stays until its lease has
     * expired.
     */
    public List<Member> members() {
        return live(present());
    }

    /** As of the last poll, at most one heartbeat ago while this process is a member. */
    public List<Member> membersLastSeen() {
        return lastSeen;
    }

    public Optional<NameHolder> holding(String name) {
        return ledger.read(new Place(HOLDINGS, name)).map(entry -> holding(name, entry));
    }

    /** All grants that were not released, in no particular order. */
    public List<NameHolder> holdings() {
        List<NameHolder> all = new ArrayList<>();
        for (String name : ledger.list(HOLDINGS)) {
            holding(name).filter(one -> !one.member().isEmpty()).ifPresent(all::add);
        }
        return all;
    }

    static NameHolder holding(String name, Entry entry) {
        return new NameHolder(
                name,
                new String(entry.value(), java.nio.charset.StandardCharsets.UTF_8),
                entry.stamp());
    }

    public Value value(String name) {
        return ledger.read(new Place(VALUES, name))
                .map(entry -> new Value(entry.value(), entry.version() + 1))
                .orElse(Value.NONE);
    }

    /**
     * @param expected the version to replace, 0 to create the value
     * @return false if the current version differs
     */
    public boolean store(String name, byte[] bytes, long expected) {
        if (bytes.length > Ledger.VALUE_BYTES_MAX) {
            throw PetrichorException.invalid(
                    "a shared value has at most "
                            + Ledger.VALUE_BYTES_MAX
                            + " bytes; {name} would have {length}",
                    "name",
                    name,
                    "length",
                    bytes.length);
        }
        Place place = new Place(VALUES, name);
        return ledger.change(
                List.of(
                        expected == 0
                                ? new Change.Create(place, bytes)
                                : new Change.Replace(place, bytes, expected - 1)));
    }

    /** Called with every change of the membership, on the heartbeat thread: must not block. */
    public void watchMembers(Consumer<List<Member>> watcher) {
        memberWatchers.add(watcher);
    }

    /**
     * Called with the current value, and then with new ones; intermediate values may be skipped.
     */
    public void watchValue(String name, Consumer<Value> watcher) {
        Value now = value(name);
        valueWatches.add(new ValueWatch(name, new long[] {now.version()}, watcher));
        watcher.accept(now);
    }

    /** Why the ledger cannot be used now; empty while it can. */
    public Optional<String> problem() {
        return ledger.problem();
    }

    Ledger ledger() {
        return ledger;
    }

    TimeSource time() {
        return time;
    }

    /** Removes members whose lease has expired, then notifies the watchers of changes. */
    void observe() {
        Map<Member, Long> present = present();
        present.forEach(
                (member, version) -> {
                    if (expiry.expired(member, version, time.monotonicNanos())) {
                        boolean _ = remove(member, version);
                    }
                });
        List<Member> live = live(present);
        if (!live.equals(lastSeen)) {
            lastSeen = live;
            memberWatchers.forEach(watcher -> watcher.accept(live));
        }
        for (ValueWatch watch : valueWatches) {
            Value now = value(watch.name());
            if (now.version() != watch.version()[0]) {
                watch.version()[0] = now.version();
                watch.watcher().accept(now);
            }
        }
    }

    /**
     * Polling works again after an outage, possibly of the ledger for all members, which alone must
     * not cost a member its lease. All have this long to renew before they count as expired.
     */
    void seeAgain(Duration grace) {
        expiry.startAt(time.monotonicNanos() + grace.toNanos());
    }

    private boolean remove(Member member, long version) {
        return ledger.change(List.of(new Change.Delete(new Place(MEMBERS, member.id()), version)));
    }

    /** Whether the version is so old that the member must have stopped by itself. */
    boolean silent(Member member, long version) {
        return expiry.expired(member, version, time.monotonicNanos());
    }

    private List<Member> live(Map<Member, Long> present) {
        List<Member> live = new ArrayList<>();
        present.forEach(
                (member, version) -> {
                    if (!silent(member, version)) {
                        live.add(member);
                    }
                });
        live.sort(Member.ELDEST_FIRST);
        return List.copyOf(live);
    }

    private Map<Member, Long> present() {
        Map<Member, Long> present = new HashMap<>();
        Set<String> ids = new HashSet<>();
        for (String id : ledger.list(MEMBERS)) {
            readMember(id)
                    .ifPresent(
                            entry -> {
                                present.put(Member.parse(id, entry.value()), entry.version());
                                ids.add(id);
                            });
        }
        expiry.forgetAllBut(ids);
        return present;
    }

    Optional<Entry> readMember(String id) {
        Optional<Entry> entry = ledger.read(new Place(MEMBERS, id));
        entry.ifPresent(found -> expiry.note(id, found.version(), time.monotonicNanos()));
        return entry;
    }

    @Override
    public void close() {
        ledger.close();
    }
}
