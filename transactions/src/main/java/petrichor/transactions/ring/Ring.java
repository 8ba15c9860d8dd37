package petrichor.transactions.ring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Capabilities;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.transactions.migration.MigrationContext;
import petrichor.transactions.migration.MigrationStores;
import petrichor.transactions.rows.TableLayout;

/**
 * The ring of a database, in the server that owns it: its members, and the moves of ranges between
 * them. Works in small units, one after another; what is decided is in the {@link RingMap}, with
 * which the next owner continues.
 *
 * <p>Thread-safe. A unit that fails is repeated after a pause; {@link #status} shows why.
 */
public final class Ring implements AutoCloseable {
    /** Members of a ring. */
    public static final int MEMBERS_MAX = 64;

    /** Ranges of a ring, with those that are planned. */
    public static final int RANGES_MAX = 1_024;

    private static final Duration PAUSE_MIN = Duration.ofMillis(20);
    private static final Duration PAUSE_MAX = Duration.ofSeconds(2);

    private enum Next {
        CONTINUE,
        /** Until a request or {@link #tidy}. */
        AWAIT
    }

    private final MigrationContext context;
    private final RingChanges changes;
    private final RingMoves moves;

    /** Held during a unit and during requests. */
    private final ReentrantLock turn = new ReentrantLock();

    private boolean scheduled;
    private Duration pause = PAUSE_MIN;
    private @Nullable RingMeasure measure;
    private volatile Map<String, Long> measuredBytes = Map.of();
    private volatile @Nullable String problem;

    /** Why planned moves were abandoned; until the next request. */
    private volatile @Nullable String abandonReason;

    private long abandoned;
    private volatile boolean closed;

    /** Continues what a former owner began. */
    public Ring(MigrationContext context) {
        this.context = context;
        this.changes = new RingChanges(context);
        this.moves = new RingMoves(context, changes);
        tidy();
    }

    // ---- requests

    /** Makes a ring of stores, with all rows still in the home. */
    public void create(List<String> stores) {
        turn.lock();
        try {
            context.durable().requireOwned();
            requireCreatable();
            List<RingMap.Member> members = new ArrayList<>();
            for (String store : stores) {
                requireMember(store);
                members.add(new RingMap.Member(store, false));
            }
            requireMembers(members);
            changes.begin(RingMap.NONE.members(members));
        } finally {
            turn.unlock();
        }
    }

    private void requireCreatable() {
        context.stores().requireMovable();
        requireUnbranched();
        if (changes.point() != null) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The database {database} has a ring already; `petrichor ring add` adds a"
                            + " store.",
                    "database",
                    context.database());
        }
        if (!context.steps().point().store().equals(MigrationStores.HOME)
                || context.steps().point().isMigrating()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The database {database} was moved to another store, or is being moved: end"
                            + " the migration with the database in its home before it gets a ring.",
                    "database",
                    context.database());
        }
        if (!(context.stores().store(MigrationStores.HOME).durableStep()
                instanceof DurableStep.AtomicBatch)) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The home of the database {database} does not write batches atomically, so it"
                            + " cannot have a ring; such stores distribute rows themselves.",
                    "database",
                    context.database());
        }
    }

    private void requireUnbranched() {
        context.stores().requireUnbranched(context.database(), context.layout());
    }

    private static void requireMembers(List<RingMap.Member> members) {
        Set<String> names = new HashSet<>();
        members.forEach(member -> names.add(member.store()));
        if (names.size() != members.size() || members.isEmpty() || names.size() > MEMBERS_MAX) {
            throw PetrichorException.invalid(
                    "A ring has 1 to {max} different stores.", "max", MEMBERS_MAX);
        }
    }

    /** NOT_FOUND or FAILED_PRECONDITION if the store cannot be used. */
    private void requireMember(String name) {
        KeyValueStore store = context.stores().commitPoints(name).stores().home();
        Capabilities member = store.capabilities();
        Capabilities home = context.stores().store(MigrationStores.HOME).capabilities();
        if (!(store.durableStep() instanceof DurableStep.AtomicBatch)) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The store {store} cannot be a member of a ring: it does not write batches"
                            + " atomically. Stores with a cluster of their own distribute rows"
                            + " themselves.",
                    "store",
                    name);
        }
        if (member.valueBytesMax() < home.valueBytesMax()
                || member.keyBytesMax() < home.keyBytesMax()
                || member.limits().batchBytesMax() < context.around().limits().batchBytesMax()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The store {store} cannot be a member of a ring: it accepts smaller rows or"
                            + " batches than the home, and rows that are valid now would not fit.",
                    "store",
                    name);
        }
        // Rows of the log must be newer than what an earlier migration left there.
        byte[] mark = store.get(TableLayout.META, context.layout().appliedKey());
        if (mark != null && !name.equals(MigrationStores.HOME)) {
            long applied = TableLayout.longAt(mark, 0) + 1;
            if (applied > context.newestVersion()) {
                context.durable().pointBeyondNewest(applied, applied).leave();
            }
        }
    }

    /** Has the ring distribute ranges of keys; those that are covered already stay as they are. */
    public void cover(List<KeyRange> keys) {
        // A branch may have been made at the same time as the ring; none can follow.
        requireUnbranched();
        edit(
                map -> {
                    RingMap next = map;
                    for (KeyRange one : keys) {
                        for (RingMap.Range part : map.parts(one)) {
                            if (!next.covers(part.keys())) {
                                next = next.ranges(next.with(part.keys(), part.store()));
                            }
                        }
                    }
                    return next.plan(next.plan(), RingMap.Goal.BYTES);
                });
    }

    /** Adds a store, and moves the share that makes it equal to the others. */
    public void add(String store) {
        edit(
                map -> {
                    requireMember(store);
                    List<RingMap.Member> members = new ArrayList<>(map.members());
                    members.removeIf(member -> member.store().equals(store) && member.leaving());
                    members.add(new RingMap.Member(store, false));
                    requireMembers(members);
                    return map.members(members).plan(List.of(), RingMap.Goal.BYTES);
                });
    }

    /** Moves the ranges of a store to the others, and then removes it from the ring. */
    public void remove(String store) {
        edit(
                map -> {
                    requireIn(map, store);
                    List<RingMap.Member> members =
                            map.members().stream()
                                    .map(
                                            member ->
                                                    member.store().equals(store)
                                                            ? new RingMap.Member(store, true)
                                                            : member)
                                    .toList();
                    RingMap next = map.members(members).plan(List.of(), RingMap.Goal.BYTES);
                    if (next.staying().isEmpty()) {
                        throw PetrichorException.of(
                                ErrorCode.FAILED_PRECONDITION,
                                "The store {store} is the last one of the ring; add another one"
                                        + " first, for instance home.",
                                "store",
                                store);
                    }
                    return next;
                });
    }

    private void requireIn(RingMap map, String store) {
        if (!map.isMember(store)) {
            throw PetrichorException.of(
                    ErrorCode.NOT_FOUND,
                    "The store {store} is not in the ring; it has {members}.",
                    "store",
                    store,
                    "members",
                    String.join(", ", map.members().stream().map(RingMap.Member::store).toList()));
        }
    }

    /** Moves a range of keys to a member; only the part that the ring covers. */
    public void move(KeyRange keys, String to) {
        edit(
                map -> {
                    requireIn(map, to);
                    List<RingMap.Planned> plan = new ArrayList<>(map.plan());
                    for (RingMap.Range range : map.ranges()) {
                        KeyRange common = RingMap.common(range.keys(), keys);
                        if (common != null && !range.store().equals(to)) {
                            plan.add(new RingMap.Planned(common, to));
                        }
                    }
                    return map.plan(plan, map.goal());
                });
    }

    /**
     * Measures the ring and moves ranges until its members are equal.
     *
     * @param byLoad requests count as much as bytes
     */
    public void rebalance(boolean byLoad) {
        edit(map -> map.plan(List.of(), byLoad ? RingMap.Goal.LOAD : RingMap.Goal.BYTES));
    }

    /** Ends the move under way, and forgets what is planned. */
    public void cancel() {
        turn.lock();
        try {
            RingMap map = changes.require().map();
            RingMap.Move move = map.move();
            abandonReason = null;
            if (move != null) {
                moves.abandon(map, move);
            } else {
                var _ =
                        changes.change(
                                map, (now, _) -> now.plan(List.of(), RingMap.Goal.NONE), List.of());
            }
            wake();
        } finally {
            turn.unlock();
        }
    }

    private interface Request {
        RingMap on(RingMap map);
    }

    private void edit(Request request) {
        turn.lock();
        try {
            RingMap map = changes.require().map();
            RingMap next = request.on(map);
            if (next.ranges().size() + next.plan().size() > RANGES_MAX) {
                throw tooMany();
            }
            var _ = changes.change(map, (_, _) -> next, List.of());
            measure = null;
            abandonReason = null;
            wake();
        } finally {
            turn.unlock();
        }
    }

    private static PetrichorException tooMany() {
        return PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                "A ring has at most {max} ranges, with those that are planned. Remove a store, or"
                        + " move adjacent ranges to one store.",
                "max",
                RANGES_MAX);
    }

    /** Empty if the database has no ring. */
    public Optional<RingStatus> status() {
        RingPoint point = changes.point();
        if (point == null) {
            return Optional.empty();
        }
        RingMap map = point.map();
        Map<String, long[]> requests = point.load().counts();
        List<RingStatus.Member> members = new ArrayList<>();
        for (RingMap.Member member : map.members()) {
            String store = member.store();
            members.add(
                    RingStatus.Member.of(
                            map,
                            member,
                            measuredBytes.getOrDefault(store, measuredBytes.isEmpty() ? -1L : 0L),
                            requests.getOrDefault(store, new long[2])));
        }
        return Optional.of(
                new RingStatus(
                        map.version(),
                        members,
                        map.ranges(),
                        Optional.ofNullable(map.move()).map(this::moving),
                        map.plan().size(),
                        map.former().size(),
                        map.goal(),
                        moves.moved(),
                        problem(map)));
    }

    private Optional<String> problem(RingMap map) {
        return Optional.ofNullable(problem)
                .or(() -> Optional.ofNullable(abandonReason))
                .or(() -> RingStatus.stranded(map));
    }

    private RingStatus.Moving moving(RingMap.Move move) {
        RingProgress progress = moves.shown(move);
        return new RingStatus.Moving(
                move.keys(),
                move.from(),
                move.to(),
                progress.phase().name(),
                progress.rows(),
                progress.bytes());
    }

    // ---- units

    /** Continues what waits for readers, or failed. Does not wait for a unit, which continues. */
    public void tidy() {
        RingPoint point = changes.point();
        if (point != null && !isIdle(point.map()) && turn.tryLock()) {
            try {
                repeat(Duration.ZERO);
            } finally {
                turn.unlock();
            }
        }
    }

    private static boolean isIdle(RingMap map) {
        return map.move() == null
                && map.former().isEmpty()
                && map.plan().isEmpty()
                && map.goal() == RingMap.Goal.NONE
                && map.members().stream().noneMatch(RingMap.Member::leaving);
    }

    private void wake() {
        turn.lock();
        try {
            repeat(Duration.ZERO);
        } finally {
            turn.unlock();
        }
    }

    private void repeat(Duration after) {
        if (!scheduled && !closed) {
            scheduled = true;
            if (after.isZero()) {
                context.around().scheduler().run(this::work);
            } else {
                context.around().scheduler().runLater(this::work, after);
            }
        }
    }

    private void work() {
        turn.lock();
        try {
            scheduled = false;
            RingPoint point = changes.point();
            if (closed || point == null || !context.durable().owned()) {
                return;
            }
            if (unit(point, point.map()) == Next.CONTINUE) {
                repeat(moves.pause(point));
            }
            pause = PAUSE_MIN;
            problem = null;
        } catch (RuntimeException failed) {
            problem = failed.getMessage();
            if (moves.moved().abandoned() > abandoned) {
                abandoned = moves.moved().abandoned();
                abandonReason = problem;
            }
            measure = null;
            repeat(pause);
            Duration doubled = pause.multipliedBy(2);
            pause = doubled.compareTo(PAUSE_MAX) > 0 ? PAUSE_MAX : doubled;
        } finally {
            turn.unlock();
        }
    }

    private Next unit(RingPoint point, RingMap map) {
        RingMap.Move move = map.move();
        if (move != null) {
            moves.work(point, map, move);
        } else if (!map.former().isEmpty()) {
            return moves.remove(point, map) ? Next.CONTINUE : Next.AWAIT;
        } else if (!map.plan().isEmpty()) {
            moves.start(point, map);
        } else if (map.goal() != RingMap.Goal.NONE) {
            measure(point, map);
        } else if (map.members().stream().anyMatch(RingMap.Member::leaving)) {
            return drop(map) ? Next.CONTINUE : Next.AWAIT;
        } else {
            return Next.AWAIT;
        }
        return Next.CONTINUE;
    }

    private void measure(RingPoint point, RingMap map) {
        RingMeasure present = measure;
        if (present == null || !present.isOf(map)) {
            present = new RingMeasure(point, map);
            measure = present;
        }
        if (present.page()) {
            return;
        }
        measure = null;
        List<RingPlanner.Slice> slices = present.slices();
        Map<String, Long> bytes = new HashMap<>();
        slices.forEach(slice -> bytes.merge(slice.store(), slice.bytes(), Long::sum));
        measuredBytes = Map.copyOf(bytes);
        List<String> staying = map.staying();
        List<RingPlanner.Slice> weighed =
                map.goal() == RingMap.Goal.LOAD
                        ? RingPlanner.byLoad(slices, point.load().recentKeys(), staying.size())
                        : RingPlanner.byBytes(slices);
        List<RingMap.Planned> plan = RingPlanner.plan(weighed, staying);
        if (map.ranges().size() + plan.size() > RANGES_MAX) {
            plan = List.of();
            abandonReason = tooMany().getMessage();
        }
        List<RingMap.Planned> next = plan;
        var _ = changes.change(map, (now, _) -> now.plan(next, RingMap.Goal.NONE), List.of());
    }

    /** Removes members that have left; false if they still have ranges, of another plan. */
    private boolean drop(RingMap map) {
        List<RingMap.Member> left = new ArrayList<>();
        for (RingMap.Member member : map.members()) {
            boolean empty =
                    map.ranges().stream().noneMatch(range -> range.store().equals(member.store()));
            if (!member.leaving() || !empty) {
                left.add(member);
            }
        }
        if (left.size() == map.members().size()) {
            return false;
        }
        var _ = changes.change(map, (now, _) -> now.members(left), List.of());
        return true;
    }

    @Override
    public void close() {
        closed = true;
    }
}
