package petrichor.bench.movement;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import petrichor.bench.GrpcCalls;
import petrichor.bench.Loading;
import petrichor.bench.Sample;
import petrichor.bench.SampleData;
import petrichor.testing.process.Program;

/** Full backups of a database and restores into new databases, with the commands of users. */
final class BackupBench {
    private static final double BACKUP_PER_SECOND_MIN = 50_000;
    private static final double RESTORE_MIN = 0.5;
    private static final Duration COMMAND_MAX = Duration.ofMinutes(30);
    private static final long POLL_MS = 100;
    private static final String BACKUP = "backup create --full";
    private static final String RESTORE = "backup restore --apply";

    /** So that the rates do not depend on the memory of the machine. */
    private static final List<String> FLAGS = List.of("-Xmx512m");

    private final MovementRun run;
    private final MovementServer server;
    private final Path folder;
    private final int entities;

    BackupBench(MovementRun run, MovementServer server, Path folder, int entities) {
        this.run = run;
        this.server = server;
        this.folder = folder;
        this.entities = entities;
    }

    void measure() throws Exception {
        long bytes = 0;
        try (GrpcCalls calls = server.client()) {
            run.progress().say("loading " + entities + " entities");
            long began = System.nanoTime();
            Loading.load(calls, entities);
            run.report()
                    .note(
                            String.format(
                                    Locale.ROOT,
                                    "loaded %,d entities, %.0f per second",
                                    entities,
                                    entities * 1e9 / (System.nanoTime() - began)));
            bytes = (long) entities * SampleData.entity(entities - 1, 0).getSerializedSize();
        }
        List<Sample> backups = new ArrayList<>();
        List<Sample> restores = new ArrayList<>();
        for (int round = 1; round <= run.rounds(); round++) {
            run.progress().say("backup, round " + round);
            Path place = folder.resolve("round" + round);
            backups.add(
                    timed(
                            List.of(
                                    "create",
                                    place.toString(),
                                    "--full",
                                    "--consumer",
                                    "r" + round)));
            run.progress().say("restore, round " + round);
            restores.add(
                    timed(
                            List.of(
                                    "restore",
                                    place.toString(),
                                    "--from",
                                    SampleData.PROJECT,
                                    "--project",
                                    "restored" + round,
                                    "--apply")));
        }
        report(bytes, backups, restores);
    }

    private void report(long bytes, List<Sample> backups, List<Sample> restores)
            throws IOException {
        double backup = rate(backups);
        run.add(
                "restored entities per second, beside those backed up",
                RESTORE,
                both(restores, backups),
                Map.of(BACKUP, RESTORE_MIN));
        run.figure(
                "backed up entities per second",
                backup,
                "/s",
                String.format(Locale.ROOT, "at least %,.0f", BACKUP_PER_SECOND_MIN),
                backup >= BACKUP_PER_SECOND_MIN);
        double restore = rate(restores);
        run.figure(
                "restored entities per second",
                restore,
                "/s",
                String.format(Locale.ROOT, "at least %,.0f", BACKUP_PER_SECOND_MIN * RESTORE_MIN),
                restore >= BACKUP_PER_SECOND_MIN * RESTORE_MIN);
        run.figure(
                "bulk download of " + bytes / 1_000_000 + " MB by a backup",
                backup * bytes / entities / 1e3,
                "kB/s",
                "above 21 kB/s (seed 000: 202 MB in 9,520 s)",
                backup * bytes / entities / 1e3 > 21);
        try (Stream<Path> files = Files.walk(folder.resolve("round1"))) {
            long stored =
                    files.map(Path::toFile).filter(File::isFile).mapToLong(File::length).sum();
            run.report()
                    .note(
                            String.format(
                                    Locale.ROOT,
                                    "a backup has %,d bytes, its entities %,d",
                                    stored,
                                    bytes));
        }
    }

    private static double rate(List<Sample> samples) {
        return MovementRun.median(samples.stream().mapToDouble(Sample::perSecond).toArray());
    }

    private static Map<String, List<Sample>> both(List<Sample> restores, List<Sample> backups) {
        Map<String, List<Sample>> samples = new LinkedHashMap<>();
        samples.put(RESTORE, restores);
        samples.put(BACKUP, backups);
        return samples;
    }

    /** With the start of its process; the processor time is that of both processes. */
    private Sample timed(List<String> arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of("backup"));
        all.addAll(arguments);
        all.addAll(List.of("--port", Integer.toString(server.port())));
        if (arguments.getFirst().equals("create")) {
            all.addAll(List.of("--project", SampleData.PROJECT));
        }
        Path output = Files.createTempFile("petrichor-bench-", ".log");
        Duration before = server.cpu();
        long began = System.nanoTime();
        Process process =
                new ProcessBuilder(Program.petrichor(FLAGS, all))
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        Duration used = Duration.ZERO;
        while (!process.waitFor(POLL_MS, TimeUnit.MILLISECONDS)) {
            used = process.info().totalCpuDuration().orElse(used);
            if (System.nanoTime() - began > COMMAND_MAX.toNanos()) {
                process.destroyForcibly();
            }
        }
        long nanos = System.nanoTime() - began;
        if (process.exitValue() != 0) {
            throw new IllegalStateException(all + " failed:\n" + Files.readString(output));
        }
        Files.delete(output);
        double cpuMicros = server.cpu().minus(before).plus(used).toNanos() / 1e3 / entities;
        return new Sample(entities * 1e9 / nanos, Double.NaN, Double.NaN, cpuMicros);
    }
}
