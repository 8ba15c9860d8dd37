package petrichor.bench;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * A queueing model of many servers over one store that grows with them: where commits queue with
 * more databases and servers than are available for an experiment. A discrete-event simulation on a
 * virtual clock; the same seed gives the same run. It models only the steps that the protocol
 * requires of every commit (one read, one hop to the database's sequencer, a share of one append
 * that does not overlap any other append of the database, its rows applied later), and their
 * service times.
 */
final class GrowthModel {
    /** A queueing station with several servers. */
    private static final class Station {
        private final double[] freeAt;

        Station(int parallel) {
            freeAt = new double[parallel];
        }

        /** The completion time of work that arrives at {@code now}. */
        double serve(double now, double micros) {
            int first = 0;
            for (int i = 1; i < freeAt.length; i++) {
                if (freeAt[i] < freeAt[first]) {
                    first = i;
                }
            }
            freeAt[first] = Math.max(now, freeAt[first]) + micros;
            return freeAt[first];
        }
    }

    /**
     * Service times in microseconds.
     *
     * @param acceptMicros of a core: to parse and validate a request, compute its index rows and
     *     answer
     * @param sequenceMicros of a core, for one commit of a batch
     * @param hopMicros of a core at either end of a call between servers
     * @param networkMicros one way
     * @param readMicros of a store node, for the row that is replaced
     * @param appendMicros of a store node's log, for a batch
     * @param appendRowMicros of a store node's log, in addition for each commit of a batch
     * @param applyMicros of a store node, for the rows of one commit
     * @param storeLatencyMicros additional latency of a call to the store
     */
    record Costs(
            double acceptMicros,
            double sequenceMicros,
            double hopMicros,
            double networkMicros,
            double readMicros,
            double appendMicros,
            double appendRowMicros,
            double applyMicros,
            double storeLatencyMicros) {}

    /**
     * @param cores of each server, and of each store node
     * @param clients per database; each waits for its commit and sends the next
     */
    record Shape(int servers, int storeNodes, int databases, int cores, int clients) {}

    /** Results of a simulation. */
    record Outcome(double commitsPerSecond, double meanLatencyMillis, double commitsPerAppend) {}

    private record Event(double at, long order, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Double.compare(at, other.at);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    private static final class Database {
        final int owner;
        final int log;
        final Deque<Commit> queue = new ArrayDeque<>();
        boolean appending;

        Database(int owner, int log) {
            this.owner = owner;
            this.log = log;
        }
    }

    private record Commit(int server, double sent) {}

    private final Costs costs;
    private final Shape shape;
    private final List<Station> servers = new ArrayList<>();
    private final List<Station> nodes = new ArrayList<>();
    private final List<Station> logs = new ArrayList<>();
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final SplittableRandom chance;
    private double now;
    private long order;
    private double countFrom;
    private long commits;
    private long appends;
    private double waited;

    private GrowthModel(Costs costs, Shape shape, long seed) {
        this.costs = costs;
        this.shape = shape;
        this.chance = new SplittableRandom(seed);
        for (int i = 0; i < shape.servers; i++) {
            servers.add(new Station(shape.cores));
        }
        for (int i = 0; i < shape.storeNodes; i++) {
            nodes.add(new Station(shape.cores));
            logs.add(new Station(1));
        }
    }

    /**
     * @param warmUpMicros simulated before {@code countedMicros}, not counted
     */
    static Outcome run(
            Costs costs, Shape shape, double warmUpMicros, double countedMicros, long seed) {
        GrowthModel model = new GrowthModel(costs, shape, seed);
        model.countFrom = warmUpMicros;
        return model.run(warmUpMicros + countedMicros, countedMicros);
    }

    private Outcome run(double until, double countedMicros) {
        for (int i = 0; i < shape.databases; i++) {
            Database database = new Database(i % shape.servers, i % shape.storeNodes);
            for (int client = 0; client < shape.clients; client++) {
                send(database);
            }
        }
        for (Event next = events.poll(); next != null && next.at <= until; next = events.poll()) {
            now = next.at;
            next.action.run();
        }
        return new Outcome(
                commits / countedMicros * 1e6,
                commits == 0 ? 0 : waited / commits / 1000,
                appends == 0 ? 0 : (double) commits / appends);
    }

    private void at(double when, Runnable action) {
        events.add(new Event(when, order++, action));
    }

    /** A client sends to any server, which prepares the commit and reads the replaced row. */
    private void send(Database database) {
        Commit commit = new Commit(chance.nextInt(shape.servers), now);
        double prepared = servers.get(commit.server).serve(now, costs.acceptMicros);
        Station rows = nodes.get(chance.nextInt(shape.storeNodes));
        at(
                prepared,
                () ->
                        at(
                                rows.serve(now, costs.readMicros) + costs.storeLatencyMicros,
                                () -> handOver(database, commit)));
    }

    private void handOver(Database database, Commit commit) {
        if (commit.server == database.owner) {
            enqueue(database, commit);
            return;
        }
        double left = servers.get(commit.server).serve(now, costs.hopMicros) + costs.networkMicros;
        at(
                left,
                () ->
                        at(
                                servers.get(database.owner).serve(now, costs.hopMicros),
                                () -> enqueue(database, commit)));
    }

    private void enqueue(Database database, Commit commit) {
        database.queue.add(commit);
        if (!database.appending) {
            append(database);
        }
    }

    /** Group commit: all commits that queued during the last append go into this one. */
    private void append(Database database) {
        database.appending = true;
        List<Commit> batch = new ArrayList<>(database.queue);
        database.queue.clear();
        double sequenced =
                servers.get(database.owner).serve(now, costs.sequenceMicros * batch.size());
        at(
                sequenced,
                () -> {
                    double micros = costs.appendMicros + costs.appendRowMicros * batch.size();
                    double durable =
                            logs.get(database.log).serve(now, micros) + costs.storeLatencyMicros;
                    at(durable, () -> acknowledge(database, batch));
                });
    }

    private void acknowledge(Database database, List<Commit> batch) {
        appends += now >= countFrom ? 1 : 0;
        for (Commit commit : batch) {
            // Applied after the acknowledgment: no client waits, but the store is busy.
            nodes.get(chance.nextInt(shape.storeNodes)).serve(now, costs.applyMicros);
            double told = now;
            if (commit.server != database.owner) {
                told =
                        servers.get(database.owner).serve(now, costs.hopMicros)
                                + costs.networkMicros;
            }
            at(
                    told,
                    () -> {
                        if (now >= countFrom) {
                            commits++;
                            waited += now - commit.sent;
                        }
                        send(database);
                    });
        }
        database.appending = false;
        if (!database.queue.isEmpty()) {
            append(database);
        }
    }
}
