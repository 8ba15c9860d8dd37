package petrichor.cli.data;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.base.TextTable;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.Terminal;
import petrichor.movement.kafka.KafkaSink;
import petrichor.movement.kafka.KafkaTarget;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints the change feed of a database, and manages its consumers. */
@Command(
        name = "changes",
        mixinStandardHelpOptions = true,
        description = {
            "Print the committed changes of a database, in order.",
            "Without -f, prints the changes that are kept and ends."
        },
        subcommands = ChangesCommand.Consumers.class)
public final class ChangesCommand implements Callable<Integer> {
    /** Its messages would drown those of the command. */
    private static final Logger KAFKA = Logger.getLogger("org.apache.kafka");

    @Mixin private ServerAddress address = new ServerAddress();

    @Option(
            names = {"-f", "--follow"},
            description = "Wait for further changes.")
    private boolean follow;

    @Option(
            names = "--from",
            paramLabel = "POSITION",
            description =
                    "Start after this position or time (2026-11-28T05:00:00Z), or at oldest or"
                            + " newest. Default: oldest, with -f newest")
    private @Nullable String from;

    @Option(names = "--kind", description = "Print only entities of this kind.")
    private @Nullable String kind;

    @Option(names = "--namespace", description = "Print only entities in this namespace.")
    private @Nullable String namespace;

    @Option(
            names = "--consumer",
            paramLabel = "NAME",
            description =
                    "Continue after the stored position of this consumer, and store the position"
                            + " after what was printed. Creates the consumer at --from.")
    private @Nullable String consumer;

    @Option(
            names = "--to",
            paramLabel = "URL",
            description =
                    "Write the changes to a Kafka topic instead, kafka://HOST:PORT/TOPIC, exactly"
                            + " once; needs --consumer.")
    private @Nullable String to;

    @Option(names = "--json", description = "Print one commit per line, with its entities.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
        String target = to;
        if (target == null) {
            return read(new Printer(json), 0);
        }
        String name = consumer;
        if (name == null) {
            throw PetrichorException.invalid(
                    "--to needs --consumer NAME, under which the position is stored");
        }
        KAFKA.setLevel(Level.SEVERE);
        try (KafkaSink sink = KafkaSink.open(KafkaTarget.parse(target), name)) {
            String reached = sink.position();
            int code = read(new Topic(sink), reached.isEmpty() ? 0 : Long.parseLong(reached));
            sink.flush();
            return code;
        }
    }

    /**
     * @param reached a position up to which the receiver has all changes
     */
    private Integer read(ChangesClient.Receiver receiver, long reached)
            throws InterruptedException {
        String start = from != null ? from : follow ? "newest" : "oldest";
        try (ServerAddress.Connection connection = address.connect(false);
                ChangesClient client = ChangesClient.of(connection, address)) {
            if (consumer != null) {
                OptionalLong position = client.position(consumer);
                if (reached > 0 && reached > position.orElse(0)) {
                    client.moveConsumer(consumer, Long.toString(reached));
                } else if (position.isEmpty()) {
                    client.moveConsumer(consumer, start);
                }
                start = "consumer:" + consumer;
            }
            client.read(
                    new ChangesClient.Selection(start, kind, namespace, follow),
                    receiver,
                    consumer);
        }
        return ExitCode.OK.number();
    }

    /** Writes to a Kafka topic. */
    private record Topic(KafkaSink sink) implements ChangesClient.Receiver {
        @Override
        public void accept(JsonObject commit) {
            sink.add(commit);
        }

        @Override
        public String durable(String received) {
            return sink.durable(received);
        }
    }

    /** Prints to standard output. */
    private record Printer(boolean json) implements ChangesClient.Receiver {
        @Override
        public void accept(JsonObject commit) {
            if (json) {
                System.out.println(commit);
            } else {
                print(commit);
            }
        }

        @Override
        public String durable(String received) {
            System.out.flush();
            return received;
        }
    }

    private static void print(JsonObject commit) {
        String time = commit.get("time").getAsString();
        String position = commit.get("position").getAsString();
        for (JsonElement element : commit.getAsJsonArray("entities")) {
            JsonObject entity = element.getAsJsonObject();
            System.out.println(
                    position
                            + "  "
                            + time
                            + "  "
                            + entity.get("change").getAsString()
                            + "  "
                            + ChangesClient.keyText(entity.getAsJsonObject("key")));
        }
    }

    @Command(
            name = "consumers",
            mixinStandardHelpOptions = true,
            description = "Manage the named consumers of changes.",
            subcommands = {ListConsumers.class, DeleteConsumer.class})
    static final class Consumers {
        private Consumers() {}
    }

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = "List the consumers and their positions.")
    static final class ListConsumers implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Option(names = "--json", description = "Print one consumer per line.")
        private boolean json;

        @Override
        public Integer call() throws InterruptedException {
            JsonObject all;
            try (ServerAddress.Connection connection = address.connect(false);
                    ChangesClient client = ChangesClient.of(connection, address)) {
                all = client.consumers();
            }
            TextTable table = new TextTable(System.out);
            for (JsonElement element : all.getAsJsonArray("consumers")) {
                JsonObject consumer = element.getAsJsonObject();
                if (json) {
                    System.out.println(consumer);
                    continue;
                }
                Map<String, String> row = new LinkedHashMap<>();
                row.put("consumer", consumer.get("name").getAsString());
                row.put("position", consumer.get("position").getAsString());
                row.put("stored", consumer.get("moved").getAsString());
                row.put("behind", consumer.get("behindSeconds").getAsString() + " s");
                row.put(
                        "state",
                        consumer.get("lost").getAsBoolean() ? "position no longer kept" : "kept");
                table.row(row);
            }
            if (!json) {
                table.end();
                Terminal.open(false)
                        .say(
                                "changes are kept for a consumer for "
                                        + all.get("keptForConsumersSeconds").getAsLong() / 3_600
                                        + " h; the oldest position is "
                                        + all.get("oldest").getAsString());
            }
            return ExitCode.OK.number();
        }
    }

    @Command(
            name = "delete",
            mixinStandardHelpOptions = true,
            description = "Delete a consumer; changes are no longer kept for it.")
    static final class DeleteConsumer implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Parameters(paramLabel = "NAME", description = "Name of the consumer.")
        private String name = "";

        @Override
        public Integer call() throws InterruptedException {
            try (ServerAddress.Connection connection = address.connect(false);
                    ChangesClient client = ChangesClient.of(connection, address)) {
                client.deleteConsumer(name);
            }
            Terminal.open(false).say("deleted the consumer " + name);
            return ExitCode.OK.number();
        }
    }
}
