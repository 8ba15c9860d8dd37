package petrichor.bench.services;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.bench.Contender;
import petrichor.bench.Contest;
import petrichor.bench.Progress;
import petrichor.bench.Report;
import petrichor.bench.Sample;
import petrichor.bench.ServerProcess;
import petrichor.bench.TemporaryFolder;

/** The contests of {@code petrichor bench services}: one part for each service. */
final class ServicesBench {
    private static final int CLIENTS = 16;
    private static final int SEARCHING_CLIENTS = 1;
    private static final int TASKS = 10_000;
    private static final int TASKS_PER_SECOND_MIN = 500;

    /** Documents that the Java API server keeps in memory, too. */
    private static final int SHARED_DOCUMENTS = 2_000;

    private static final double SEARCH_P99_MILLIS_MAX = 50;
    private static final double CACHE_TARGET = 5;
    private static final double DISK_TARGET = 0.5;
    private static final String DISK = "disk";
    private static final String SYNCED_DISK = "disk, each part synced";

    /** Memory, in which the system keeps a file that was just written. */
    private static final String PAGE_CACHE = "page cache";

    /** Mebibytes in a part of a large upload. */
    private static final int PART_MEBIBYTES = 16;

    private static final int MEBIBYTE = 1 << 20;

    private final MeasuredServers servers;
    private final TemporaryFolder folder;
    private final Sizes sizes;
    private final Report report;
    private final Progress progress;

    /**
     * @param rounds counted rounds of each contest
     * @param length of a round of operations that are repeated
     * @param documents in the index that is searched
     * @param objectMebibytes size of a large object
     */
    record Sizes(int rounds, Duration length, int documents, int objectMebibytes) {}

    ServicesBench(
            MeasuredServers servers,
            TemporaryFolder folder,
            Sizes sizes,
            Report report,
            Progress progress) {
        this.servers = servers;
        this.folder = folder;
        this.sizes = sizes;
        this.report = report;
        this.progress = progress;
    }

    void measure(ServicesCommand.Part part) throws Exception {
        int appPort = ServerProcess.freePort();
        ServerProcess ours = servers.petrichor(appPort);
        switch (part) {
            case CACHE -> cache(servers.app(ours, appPort));
            case QUEUE -> queue(servers.app(ours, appPort));
            case BLOB -> blob(servers.objects(ours));
            case SEARCH -> search(servers.app(ours, appPort));
        }
    }

    private void cache(MeasuredServer ours) throws Exception {
        List<MeasuredServer> all = new ArrayList<>(List.of(ours));
        servers.javaApiServer(all);
        servers.echo(all);
        servers.memcached(all);
        Map<String, Double> targets = Map.of(MeasuredServers.JAVA, CACHE_TARGET);
        repeat("cache: get of 1 kB", "cache-get", CLIENTS, all, targets);
        repeat("cache: set of 1 kB", "cache-set", CLIENTS, all, targets);
        repeat("cache: increment", "cache-increment", CLIENTS, all, Map.of());
    }

    private void queue(MeasuredServer ours) throws Exception {
        List<MeasuredServer> all = new ArrayList<>(List.of(ours));
        servers.javaApiServer(all);
        servers.rabbitMq(all);
        repeat("queue: add 1 task of 1 kB", "queue-add", CLIENTS, all, Map.of());
        // The default queue of the Java API server runs five tasks per second.
        all.removeIf(server -> server.name().equals(MeasuredServers.JAVA));
        Contest.Outcome drained =
                once("queue: add and execute 10,000 tasks", "queue-drain", TASKS, all, Map.of());
        double rate = drained.median(MeasuredServers.OURS, Sample::perSecond);
        report.add(
                new Report.Figure(
                        "tasks drained by one app",
                        rate,
                        "/s",
                        "at least 500",
                        rate >= TASKS_PER_SECOND_MIN));
    }

    private void blob(MeasuredServer ours) throws Exception {
        List<MeasuredServer> all = new ArrayList<>(List.of(ours));
        servers.storageEmulator(all);
        repeat("blob: upload 100 kB", "blob-put", CLIENTS, all, Map.of());
        repeat("blob: download 100 kB", "blob-get", CLIENTS, all, Map.of());
        String size = sizes.objectMebibytes() + " MiB";
        large(
                "blob: upload " + size + " in parts, MiB",
                "blob-put-large",
                all,
                Map.of(
                        DISK,
                        _ -> write(sizes.objectMebibytes()),
                        SYNCED_DISK,
                        _ -> write(PART_MEBIBYTES)));
        large(
                "blob: download " + size + ", MiB",
                "blob-get-large",
                all,
                Map.of(DISK, _ -> readDirectly(), PAGE_CACHE, _ -> readCached()));
    }

    private void search(MeasuredServer ours) throws Exception {
        List<MeasuredServer> all = new ArrayList<>(List.of(ours));
        servers.javaApiServer(all);
        once("search: put documents", "search-put", SHARED_DOCUMENTS, all, Map.of());
        repeat(
                "search: 20 of " + SHARED_DOCUMENTS + " documents",
                "search",
                SEARCHING_CLIENTS,
                all,
                Map.of());
        progress.say("putting " + sizes.documents() + " documents");
        double putRate = ours.client().once("search-put", sizes.documents()).perSecond();
        report.add(new Report.Figure("documents put", putRate, "/s", "none", true));
        Contest.Outcome searched =
                repeat(
                        "search: 20 of " + sizes.documents() + " documents",
                        "search",
                        SEARCHING_CLIENTS,
                        List.of(ours),
                        Map.of());
        double p99 = searched.median(MeasuredServers.OURS, Sample::p99Micros) / 1e3;
        report.add(
                new Report.Figure(
                        "p99 of searches in " + sizes.documents() + " documents",
                        p99,
                        "ms",
                        "at most 50",
                        p99 <= SEARCH_P99_MILLIS_MAX));
    }

    private Contest.Outcome repeat(
            String title,
            String operation,
            int clients,
            List<MeasuredServer> all,
            Map<String, Double> targets)
            throws Exception {
        return run(
                title + ", " + clients + (clients == 1 ? " client" : " clients"),
                all.stream().map(server -> server.repeating(operation, clients)).toList(),
                targets);
    }

    private Contest.Outcome once(
            String title,
            String operation,
            int size,
            List<MeasuredServer> all,
            Map<String, Double> targets)
            throws Exception {
        return run(
                title, all.stream().map(server -> server.once(operation, size)).toList(), targets);
    }

    private void large(
            String title,
            String operation,
            List<MeasuredServer> all,
            Map<String, Contender.Round> disk)
            throws Exception {
        List<Contender> contenders = new ArrayList<>();
        all.forEach(server -> contenders.add(server.once(operation, sizes.objectMebibytes())));
        Map<String, Double> targets = new TreeMap<>();
        new TreeMap<>(disk)
                .forEach(
                        (name, round) -> {
                            contenders.add(new Contender(name, round));
                            if (!name.equals(PAGE_CACHE)) {
                                targets.put(name, DISK_TARGET);
                            }
                        });
        run(title, contenders, targets);
    }

    private Contest.Outcome run(
            String title, List<Contender> contenders, Map<String, Double> targets)
            throws Exception {
        Contest.Outcome outcome =
                new Contest(title, MeasuredServers.OURS, contenders, targets)
                        .run(sizes.rounds(), sizes.length(), progress);
        report.add(outcome);
        return outcome;
    }

    private Path file() {
        return folder.path("ceiling");
    }

    /**
     * Writes a file of random bytes.
     *
     * @param syncEvery mebibytes between two syncs
     */
    private Sample write(int syncEvery) throws IOException {
        byte[] random = new byte[MEBIBYTE];
        new Random().nextBytes(random);
        long began = System.nanoTime();
        try (FileChannel out =
                FileChannel.open(
                        file(),
                        StandardOpenOption.WRITE,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING)) {
            for (int written = 1; written <= sizes.objectMebibytes(); written++) {
                ByteBuffer more = ByteBuffer.wrap(random);
                while (more.hasRemaining()) {
                    out.write(more);
                }
                if (written % syncEvery == 0) {
                    out.force(false);
                }
            }
            out.force(true);
        }
        return sample(began);
    }

    private Sample readCached() throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(MEBIBYTE);
        long began = System.nanoTime();
        try (FileChannel in = FileChannel.open(file(), StandardOpenOption.READ)) {
            while (in.read(buffer) >= 0) {
                buffer.clear();
            }
        }
        return sample(began);
    }

    /** Reads past the page cache. */
    private Sample readDirectly() throws IOException, InterruptedException {
        long began = System.nanoTime();
        Process dd =
                new ProcessBuilder(
                                "dd",
                                "if=" + file(),
                                "of=/dev/null",
                                "bs=1M",
                                "iflag=direct",
                                "status=none")
                        .inheritIO()
                        .start();
        if (dd.waitFor() != 0) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL, "dd could not read {file}", "file", file());
        }
        return sample(began);
    }

    private Sample sample(long began) {
        double seconds = (System.nanoTime() - began) / 1e9;
        return Sample.ofRate(sizes.objectMebibytes() / seconds);
    }
}
