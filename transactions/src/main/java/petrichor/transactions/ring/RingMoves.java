package petrichor.transactions.ring;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.KeyRange;
import petrichor.kv.WriteBatch;
import petrichor.transactions.migration.LatencyGovernor;
import petrichor.transactions.migration.MigrationContext;
import petrichor.transactions.rows.TableLayout;

/**
 * Moves one range after another: copies it while both stores are written, compares, switches, and
 * deletes what is no longer read. Each call is a small unit; the next owner of the database
 * continues with the stored map. Confined to one thread at a time.
 */
final class RingMoves {
    private static final long STORE_EVERY_NANOS = 1_000_000_000;

    /** A page that differs may be in the middle of being written by a recovery. */
    private static final int DIFFERENT_MAX = 5;

    private final MigrationContext context;
    private final RingChanges changes;
    private volatile @Nullable RingProgress progress;
    private @Nullable RingProgress removal;
    private LatencyGovernor governor = new LatencyGovernor(0);
    private long storedNanos;
    private int different;

    private volatile RingStatus.Moved moved = RingStatus.Moved.NOTHING;

    RingMoves(MigrationContext context, RingChanges changes) {
        this.context = context;
        this.changes = changes;
    }

    RingStatus.Moved moved() {
        return moved;
    }

    /** The pause before the next unit, so that commits and reads stay fast. */
    java.time.Duration pause(RingPoint point) {
        return governor.next(point.p99Nanos());
    }

    /** How far the move is, as far as this process knows. Any thread. */
    RingProgress shown(RingMap.Move move) {
        RingProgress known = progress;
        return known != null && known.move() == move.since()
                ? known
                : RingProgress.first(move.since());
    }

    private RingProgress progress(RingMap.Move move) {
        RingProgress known = progress;
        if (known != null && known.move() == move.since()) {
            return known;
        }
        byte[] stored =
                context.durable()
                        .rows()
                        .get(TableLayout.META, RingRows.progressKey(context.layout()));
        RingProgress found = stored == null ? null : RingRows.decodeProgress(stored);
        RingProgress now =
                found != null && found.move() == move.since()
                        ? found
                        : RingProgress.first(move.since());
        progress = now;
        different = 0;
        return now;
    }

    /** Begins with the next planned range, or a part of it that is in one store. */
    void start(RingPoint point, RingMap map) {
        RingMap.Planned planned = map.plan().getFirst();
        List<RingMap.Planned> left = new ArrayList<>(map.plan().subList(1, map.plan().size()));
        RingMap.Range part = null;
        boolean possible = map.staying().contains(planned.to());
        for (RingMap.Range one : map.parts(planned.keys())) {
            if (!possible || one.store().equals(planned.to())) {
                continue;
            }
            if (part == null) {
                part = one;
            } else {
                left.add(0, new RingMap.Planned(one.keys(), planned.to()));
            }
        }
        RingMap.Range chosen = part;
        governor = new LatencyGovernor(point.p99Nanos());
        if (chosen == null) {
            var _ = changes.change(map, (now, _) -> now.plan(left, now.goal()), List.of());
            return;
        }
        point.requireMember(planned.to());
        waited(
                changes.change(
                        map,
                        (now, version) ->
                                now.plan(left, now.goal())
                                        .move(
                                                new RingMap.Move(
                                                        chosen.keys(),
                                                        chosen.store(),
                                                        planned.to(),
                                                        version)),
                        remains(point, planned.to(), chosen.keys())));
    }

    private void waited(long pauseNanos) {
        moved = moved.waited(pauseNanos);
    }

    /** What an earlier move may have left in a store. */
    private List<RingRows.Deletion> remains(RingPoint point, String store, KeyRange keys) {
        TableLayout layout = context.layout();
        List<RingRows.Deletion> deletions = new ArrayList<>();
        deletions.add(new RingRows.Deletion(store, TableLayout.ROWS, layout.rowRange(keys)));
        int[] hours = point.hours(store);
        for (int hour = hours == null ? 0 : hours[0]; hours != null && hour <= hours[1]; hour++) {
            deletions.add(
                    new RingRows.Deletion(
                            store, TableLayout.HISTORY, layout.historyRange(hour, keys)));
        }
        return deletions;
    }

    /** Copies or compares a page, or switches. */
    void work(RingPoint point, RingMap map, RingMap.Move move) {
        RingProgress now = progress(move);
        String table = table(now);
        KeyRange range = range(now, move.keys());
        RingPoint.Page page =
                switch (now.phase()) {
                    case COPY -> point.copy(move.from(), move.to(), table, range);
                    case VERIFY -> point.compare(move.from(), move.to(), table, range);
                };
        if (page == null) {
            differs(map, move);
            return;
        }
        different = 0;
        boolean copying = now.phase() == RingProgress.Phase.COPY;
        byte[] next = page.next();
        RingProgress counted =
                now.after(
                        next == null ? now.next() : next,
                        copying ? page.rows() : 0,
                        copying ? page.bytes() : 0);
        if (next != null) {
            advance(counted);
            return;
        }
        int hour = nextHour(point, move.from(), now.hour());
        if (hour >= 0) {
            advance(counted.inHour(hour));
        } else if (copying) {
            advance(counted.in(RingProgress.Phase.VERIFY));
        } else {
            switchStores(map, move, counted);
        }
    }

    private String table(RingProgress at) {
        return at.hour() == RingProgress.ROWS ? TableLayout.ROWS : TableLayout.HISTORY;
    }

    private KeyRange range(RingProgress at, KeyRange keys) {
        TableLayout layout = context.layout();
        KeyRange whole =
                at.hour() == RingProgress.ROWS
                        ? layout.rowRange(keys)
                        : layout.historyRange(at.hour(), keys);
        return Bytes.compare(at.next(), whole.from()) <= 0
                ? whole
                : new KeyRange(at.next(), whole.to());
    }

    /** The next hour with history in a store; -1 for none. */
    private static int nextHour(RingPoint point, String store, int hour) {
        int[] hours = point.hours(store);
        if (hours == null) {
            return -1;
        }
        int next = Math.max(hour + 1, hours[0]);
        return next <= hours[1] ? next : -1;
    }

    private void advance(RingProgress now) {
        progress = now;
        long nanos = context.time().monotonicNanos();
        if (nanos - storedNanos >= STORE_EVERY_NANOS) {
            context.write(
                    new WriteBatch()
                            .put(
                                    TableLayout.META,
                                    RingRows.progressKey(context.layout()),
                                    RingRows.encode(now)));
            storedNanos = nanos;
        }
    }

    private void switchStores(RingMap map, RingMap.Move move, RingProgress done) {
        waited(
                changes.change(
                        map,
                        (now, version) ->
                                now.ranges(now.with(move.keys(), move.to()))
                                        .move(null)
                                        .former(
                                                and(
                                                        now.former(),
                                                        new RingMap.Former(
                                                                move.keys(),
                                                                move.from(),
                                                                version))),
                        List.of()));
        moved = moved.and(done.rows(), done.bytes());
        progress = null;
        removal = null;
    }

    private static List<RingMap.Former> and(List<RingMap.Former> all, RingMap.Former one) {
        List<RingMap.Former> more = new ArrayList<>(all);
        more.add(one);
        return more;
    }

    private void differs(RingMap map, RingMap.Move move) {
        different++;
        if (different < DIFFERENT_MAX) {
            return;
        }
        abandon(map, move);
        moved = moved.andAbandoned();
        throw PetrichorException.of(
                ErrorCode.INTERNAL,
                "A range was not moved from the store {from} to the store {to}: its rows differ"
                        + " after they were copied. Check both stores, then plan again.",
                "from",
                move.from(),
                "to",
                move.to());
    }

    /** Ends a move before its switch, and forgets the plan. */
    void abandon(RingMap map, RingMap.Move move) {
        var _ =
                changes.change(
                        map,
                        (now, version) ->
                                now.move(null)
                                        .plan(List.of(), RingMap.Goal.NONE)
                                        .former(
                                                and(
                                                        now.former(),
                                                        new RingMap.Former(
                                                                move.keys(), move.to(), version))),
                        List.of());
        progress = null;
        removal = null;
    }

    /** Deletes a page of rows that are no longer read; false while a reader may read them. */
    boolean remove(RingPoint point, RingMap map) {
        RingMap.Former former = map.former().getFirst();
        if (context.durable().readPoints().oldest() < former.since()) {
            return false;
        }
        RingProgress now = removal;
        if (now == null || now.move() != former.since()) {
            now = RingProgress.first(former.since());
        }
        KeyRange range = range(now, former.keys());
        RingPoint.Page page = point.look(former.store(), table(now), range);
        byte[] next = page.next();
        if (page.rows() > 0) {
            changes.delete(
                    former.store(),
                    table(now),
                    next == null ? range : new KeyRange(range.from(), next));
        }
        if (next != null) {
            removal = now.after(next, page.rows(), page.bytes());
            return true;
        }
        int hour = nextHour(point, former.store(), now.hour());
        if (hour >= 0) {
            removal = now.inHour(hour);
            return true;
        }
        removal = null;
        // All of it again, as a step of that store: shuts out the late copier of a former owner.
        var _ =
                changes.change(
                        map,
                        (before, _) ->
                                before.former(before.former().subList(1, before.former().size())),
                        remains(point, former.store(), former.keys()));
        return true;
    }
}
