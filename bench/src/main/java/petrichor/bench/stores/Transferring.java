package petrichor.bench.stores;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import petrichor.bench.Contender;
import petrichor.bench.Contest;
import petrichor.bench.Progress;
import petrichor.bench.Report;

/**
 * Transactions that read two rows and write both, compared with ScalarDB and plain SQL on the same
 * server: spread over many rows by few and many clients, and over so few that they contend.
 */
final class Transferring {
    private static final int ROWS = 10_000;
    private static final int HOT_ROWS = 10;
    private static final int FEW_CONTENDERS = 4;
    private static final int MANY_CONTENDERS = 64;

    /** Target under high contention: fraction of the throughput with few contending clients. */
    private static final double CONTENDED_LEAST = 0.8;

    /** Target: commits of the slowest client relative to the mean; less is starvation. */
    private static final double SLOWEST_LEAST = 0.1;

    /** Targets: minimum ratio to ScalarDB, by number of clients. */
    private static final List<Promise> PROMISES = List.of(new Promise(1, 3), new Promise(32, 2));

    private static final String OURS = "petrichor";
    static final String SCALAR_DB = "ScalarDB";
    static final String SQL = "SQL, SERIALIZABLE";

    private record Promise(int clients, double least) {}

    /** Both sides run the same transfers. */
    @FunctionalInterface
    private interface Side {
        Accounts.Transfers transfer(int clients, int rows, Duration length) throws Exception;
    }

    private final String store;
    private final Accounts accounts;
    private final List<TransferPeer> peers;

    Transferring(String store, Accounts accounts, List<TransferPeer> peers) {
        this.store = store;
        this.accounts = accounts;
        this.peers = List.copyOf(peers);
    }

    void measure(Report report, int rounds, Duration length, Progress progress) throws Exception {
        progress.say("loading " + ROWS + " rows: " + store);
        accounts.load(ROWS);
        for (TransferPeer peer : peers) {
            progress.say("loading " + ROWS + " rows: " + peer.name() + " on " + store);
            peer.load(ROWS);
        }
        if (!peers.isEmpty()) {
            for (Promise promise : PROMISES) {
                report.add(spread(promise).run(rounds, length, progress));
            }
        }
        contended(report, rounds, length, progress);
        progress.say("adding up " + ROWS + " rows: " + store);
        requireNothingLost();
    }

    private Contest spread(Promise promise) {
        List<Contender> contenders = new ArrayList<>();
        for (TransferPeer peer : peers) {
            contenders.add(contender(peer.name(), peer::transfer, promise.clients(), ROWS));
        }
        contenders.add(contender(OURS, accounts::transfer, promise.clients(), ROWS));
        return new Contest(
                "%s: read-modify-write of two rows, %d client(s)"
                        .formatted(store, promise.clients()),
                OURS,
                contenders,
                Map.of(SCALAR_DB, promise.least()));
    }

    private static Contender contender(String name, Side side, int clients, int rows) {
        return new Contender(name, length -> side.transfer(clients, rows, length).sample());
    }

    private void contended(Report report, int rounds, Duration length, Progress progress)
            throws Exception {
        String few = FEW_CONTENDERS + " contenders";
        String many = MANY_CONTENDERS + " contenders";
        List<Double> shares = new ArrayList<>();
        List<Contender> contenders = new ArrayList<>();
        contenders.add(contender(few, accounts::transfer, FEW_CONTENDERS, HOT_ROWS));
        contenders.add(
                new Contender(
                        many,
                        time -> {
                            Accounts.Transfers made =
                                    accounts.transfer(MANY_CONTENDERS, HOT_ROWS, time);
                            shares.add(made.slowestShare());
                            return made.sample();
                        }));
        for (TransferPeer peer : peers) {
            contenders.add(
                    contender(peer.name() + ", " + few, peer::transfer, FEW_CONTENDERS, HOT_ROWS));
            contenders.add(
                    contender(
                            peer.name() + ", " + many, peer::transfer, MANY_CONTENDERS, HOT_ROWS));
        }
        report.add(
                new Contest(
                                store + ": two of " + HOT_ROWS + " hot rows",
                                many,
                                contenders,
                                Map.of(few, CONTENDED_LEAST))
                        .run(rounds, length, progress));
        double slowest = shares.stream().mapToDouble(Double::doubleValue).min().orElse(0);
        report.add(
                new Report.Figure(
                        store + ": slowest of " + MANY_CONTENDERS + ", share of the mean",
                        slowest,
                        "",
                        "at least " + SLOWEST_LEAST,
                        slowest >= SLOWEST_LEAST));
    }

    /** Speed is worthless if money is lost. */
    void requireNothingLost() {
        long sum = accounts.sum(ROWS);
        if (sum != Accounts.sumAtFirst(ROWS)) {
            throw new IllegalStateException(
                    "%s: the rows hold %d together, not %d: transactions were not isolated"
                            .formatted(store, sum, Accounts.sumAtFirst(ROWS)));
        }
    }
}
