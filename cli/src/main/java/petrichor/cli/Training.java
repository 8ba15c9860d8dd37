package petrichor.cli;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import petrichor.cli.console.ExitCode;

/**
 * A training run for the JVM's class cache, started once by the launcher after a build to speed up
 * later starts: runs a job and commands that ask a server, then a server until it is stopped. It is
 * not a command, since users do not need it.
 */
public final class Training {
    /**
     * Few, because only the classes matter. With so many records that the compiler kept profiles of
     * the loops over them, other jobs became a tenth slower than without a cache.
     */
    private static final int ORDERS = 300;

    private static final int ITEMS_PER_ORDER = 4;

    /** Reserved for a service that is hardly used any more (tcpmux). */
    private static final String UNUSED_PORT = "1";

    private Training() {}

    public static void main(String[] arguments) throws IOException {
        int code = job();
        commands();
        System.exit(
                code == ExitCode.OK.number()
                        ? Petrichor.run("up", "--memory", "--port", "0")
                        : code);
    }

    /** Returns the exit code of the job. */
    static int job() throws IOException {
        Path folder = Files.createTempDirectory("petrichor-training-");
        Path orders = folder.resolve("orders");
        Path items = folder.resolve("items");
        Path result = folder.resolve("result");
        try {
            write(orders, items);
            return Petrichor.run(
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
        } finally {
            for (Path made : new Path[] {orders, items, result, folder}) {
                Files.deleteIfExists(made);
            }
        }
    }

    /** They find no server, and have loaded by then what they need for talking to one. */
    private static void commands() throws IOException {
        Path app = Files.createTempDirectory("petrichor-training-");
        try {
            Files.writeString(app.resolve("app.yaml"), "runtime: python\n");
            int _ = Petrichor.run("deploy", app.toString(), "--port", UNUSED_PORT);
            int _ = Petrichor.run("app", "list", "--port", UNUSED_PORT);
            int _ = Petrichor.run("gql", "SELECT * FROM Any", "--port", UNUSED_PORT);
        } finally {
            Files.deleteIfExists(app.resolve("app.yaml"));
            Files.deleteIfExists(app);
        }
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
