package petrichor.cli;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * What the launcher shows the JVM once after a build, so that later starts find classes loaded and
 * code profiled: a job, then a server, which runs until it is stopped. No command: users have no
 * use for it.
 */
public final class Training {
    /** So many that the compiler compiles all that a job repeats for every record. */
    private static final int ORDERS = 60_000;

    private static final int ITEMS_PER_ORDER = 4;

    private Training() {}

    public static void main(String[] arguments) throws IOException {
        Path folder = Files.createTempDirectory("petrichor-training-");
        try {
            Path orders = folder.resolve("orders");
            Path items = folder.resolve("items");
            Path result = folder.resolve("result");
            write(orders, items);
            Petrichor.run(
                    "job",
                    "run",
                    "--local",
                    "--quiet",
                    "--class",
                    TrainingJob.class.getName(),
                    System.getProperty("java.class.path"),
                    "--orders=" + orders,
                    "--items=" + items,
                    "--result=" + result);
            for (Path file : new Path[] {orders, items, result}) {
                Files.deleteIfExists(file);
            }
        } finally {
            Files.deleteIfExists(folder);
        }
        System.exit(Petrichor.run("up", "--memory", "--port", "0"));
    }

    private static void write(Path orders, Path items) throws IOException {
        try (BufferedWriter order = Files.newBufferedWriter(orders);
                BufferedWriter item = Files.newBufferedWriter(items)) {
            for (int i = 0; i < ORDERS; i++) {
                String day =
                        String.format(
                                Locale.ROOT,
                                "19%02d-%02d-%02d",
                                90 + i % 9,
                                1 + i % 12,
                                1 + i % 28);
                order.write(i + "|" + i % 997 + "|O|" + day + "|some words about it\n");
                for (int number = 0; number < ITEMS_PER_ORDER; number++) {
                    item.write(
                            i
                                    + "|"
                                    + number
                                    + "|"
                                    + i % 9973
                                    + "."
                                    + 10 * number
                                    + "|0.0"
                                    + number
                                    + "|"
                                    + day
                                    + "|and about this, "
                                    + i
                                    + "\n");
                }
            }
        }
    }
}
