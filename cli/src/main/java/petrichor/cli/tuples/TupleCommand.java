package petrichor.cli.tuples;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TextTable;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "tuple",
        mixinStandardHelpOptions = true,
        description = "Read and write tuples with tags in collections.",
        subcommands = {
            TupleCommand.Put.class,
            TupleCommand.Get.class,
            TupleCommand.Delete.class,
            TupleCommand.Scan.class,
            TupleCommand.Find.class,
            CollectionCommand.class
        })
public final class TupleCommand {
    private TupleCommand() {}

    @Command(
            name = "put",
            mixinStandardHelpOptions = true,
            description = "Create or replace a tuple.")
    static final class Put implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Spec private @Nullable CommandSpec command;

        @Parameters(index = "0", paramLabel = "COLLECTION", description = "The collection.")
        private String collection = "";

        @Parameters(index = "1", paramLabel = "KEY", description = "The key.")
        private String key = "";

        @Parameters(
                index = "2",
                arity = "0..1",
                paramLabel = "VALUE",
                description = "The value; - reads it from standard input. Default: empty")
        private String value = "";

        @Option(
                names = "--tag",
                paramLabel = "DIMENSION=VALUE",
                description = "A tag; the dimension may be absent. Can be repeated.")
        private List<String> tags = new ArrayList<>();

        @Option(
                names = "--if",
                paramLabel = "CONDITION",
                description = "Write only if the tuple is absent, present or of this revision.")
        private String condition = "";

        @Option(names = "--json", description = "Print the outcome as JSON.")
        private boolean json;

        @Override
        public Integer call() throws InterruptedException {
            JsonArray texts = new JsonArray();
            tags.forEach(texts::add);
            JsonObject put = new JsonObject();
            put.addProperty("key", key);
            put.addProperty("value", Base64.getEncoder().encodeToString(bytes()));
            put.add("tags", texts);
            JsonObject write = new JsonObject();
            write.add("put", put);
            if (!condition.isEmpty()) {
                write.add("condition", condition());
            }
            JsonArray writes = new JsonArray();
            writes.add(write);
            JsonObject body = new JsonObject();
            body.add("writes", writes);
            body.addProperty("atomic", true);
            try (TupleClient client = TupleClient.of(address)) {
                JsonObject outcome =
                        client.post(collection, "write", body)
                                .getAsJsonArray("outcomes")
                                .get(0)
                                .getAsJsonObject();
                return report(outcome);
            }
        }

        private int report(JsonObject outcome) {
            String state = outcome.get("state").getAsString();
            if (json) {
                System.out.println(outcome);
            }
            if (state.equals("CONDITION_NOT_MET")) {
                String revision =
                        outcome.has("revision") ? outcome.get("revision").getAsString() : "";
                throw PetrichorException.of(
                        ErrorCode.ABORTED,
                        "the tuple {key} does not meet the condition {condition}: {actual}",
                        "key",
                        key,
                        "condition",
                        condition,
                        "actual",
                        revision.isEmpty() ? "it is absent" : "its revision is " + revision);
            }
            if (!json) {
                System.out.println(
                        state.toLowerCase(java.util.Locale.ROOT)
                                + ", revision "
                                + outcome.get("revision").getAsString());
            }
            return ExitCode.OK.number();
        }

        private byte[] bytes() {
            if (!value.equals("-")) {
                return value.getBytes(StandardCharsets.UTF_8);
            }
            try {
                return System.in.readAllBytes();
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }

        private JsonObject condition() {
            JsonObject json = new JsonObject();
            switch (condition) {
                case "absent", "present" -> json.addProperty(condition, true);
                case String revision when revision.matches("\\d{1,18}") ->
                        json.addProperty("revision", revision);
                default -> {
                    if (command == null) {
                        throw new IllegalStateException("no command");
                    }
                    throw new ParameterException(
                            command.commandLine(),
                            "--if takes absent, present or the number of a revision");
                }
            }
            return json;
        }
    }

    @Command(
            name = "get",
            mixinStandardHelpOptions = true,
            description = {"Print tuples by key.", "One key without --json prints its value."})
    static final class Get implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Parameters(index = "0", paramLabel = "COLLECTION", description = "The collection.")
        private String collection = "";

        @Parameters(index = "1..*", arity = "1..*", paramLabel = "KEY", description = "Keys.")
        private List<String> keys = new ArrayList<>();

        @Option(names = "--json", description = "Print one tuple per line.")
        private boolean json;

        @Override
        public Integer call() throws InterruptedException {
            List<JsonObject> found = new ArrayList<>();
            try (TupleClient client = TupleClient.of(address)) {
                List<String> rest = keys;
                while (!rest.isEmpty()) {
                    JsonArray asked = new JsonArray();
                    rest.forEach(asked::add);
                    JsonObject body = new JsonObject();
                    body.add("keys", asked);
                    JsonObject answer = client.post(collection, "get", body);
                    TupleClient.list(answer, "tuples")
                            .forEach(tuple -> found.add(tuple.getAsJsonObject()));
                    rest =
                            TupleClient.list(answer, "unread").stream()
                                    .map(JsonElement::getAsString)
                                    .toList();
                }
            }
            if (json) {
                found.forEach(System.out::println);
            } else if (keys.size() == 1 && found.size() == 1) {
                byte[] value = TupleText.value(found.getFirst());
                System.out.write(value, 0, value.length);
                System.out.println();
            } else {
                TextTable table = new TextTable(System.out);
                found.forEach(tuple -> TupleText.print(table, tuple));
                table.end();
            }
            if (found.size() < keys.size()) {
                Terminal.open(false)
                        .say(
                                (keys.size() - found.size())
                                        + " of "
                                        + keys.size()
                                        + " keys not found");
            }
            return found.isEmpty() ? ExitCode.NOT_FOUND.number() : ExitCode.OK.number();
        }
    }

    @Command(
            name = "delete",
            mixinStandardHelpOptions = true,
            description = "Delete tuples by key or by tags.")
    static final class Delete implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Parameters(index = "0", paramLabel = "COLLECTION", description = "The collection.")
        private String collection = "";

        @Parameters(index = "1..*", arity = "0..*", paramLabel = "KEY", description = "Keys.")
        private List<String> keys = new ArrayList<>();

        @Mixin private TagOptions tags = new TagOptions();

        @Override
        public Integer call() throws InterruptedException {
            long deleted = 0;
            try (TupleClient client = TupleClient.of(address)) {
                if (!keys.isEmpty()) {
                    deleted = byKey(client);
                }
                if (tags.isGiven()) {
                    deleted += byTags(client);
                }
            }
            System.out.println("deleted " + deleted);
            return ExitCode.OK.number();
        }

        private long byKey(TupleClient client) throws InterruptedException {
            JsonArray writes = new JsonArray();
            for (String key : keys) {
                JsonObject write = new JsonObject();
                write.addProperty("delete", key);
                writes.add(write);
            }
            JsonObject body = new JsonObject();
            body.add("writes", writes);
            JsonObject answer = client.post(collection, "write", body);
            return TupleClient.list(answer, "outcomes").stream()
                    .filter(
                            outcome ->
                                    outcome.getAsJsonObject()
                                            .get("state")
                                            .getAsString()
                                            .equals("DELETED"))
                    .count();
        }

        private long byTags(TupleClient client) throws InterruptedException {
            JsonObject body = tags.json();
            long deleted = 0;
            String token = "";
            do {
                body.addProperty("pageToken", token);
                JsonObject answer = client.post(collection, "deleteByTags", body);
                deleted += answer.has("deleted") ? answer.get("deleted").getAsLong() : 0;
                token =
                        answer.has("nextPageToken")
                                ? answer.get("nextPageToken").getAsString()
                                : "";
            } while (!token.isEmpty());
            return deleted;
        }
    }

    @Command(
            name = "scan",
            mixinStandardHelpOptions = true,
            description = "Print tuples in the order of their keys.")
    static final class Scan implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Parameters(index = "0", paramLabel = "COLLECTION", description = "The collection.")
        private String collection = "";

        @Option(names = "--from", paramLabel = "KEY", description = "The first key.")
        private String from = "";

        @Option(names = "--to", paramLabel = "KEY", description = "The key before which to end.")
        private String to = "";

        @Option(names = "--prefix", description = "Print keys that begin with it.")
        private String prefix = "";

        @Mixin private TupleOutput output = new TupleOutput();

        @Override
        public Integer call() throws InterruptedException {
            JsonObject body = new JsonObject();
            body.addProperty("from", from);
            body.addProperty("to", to);
            body.addProperty("prefix", prefix);
            return output.print(address, collection, "range", body);
        }
    }

    @Command(
            name = "find",
            mixinStandardHelpOptions = true,
            description = {
                "Print tuples by their tags.",
                "A condition is DIMENSION=VALUE, DIMENSION=PAT*ERN or DIMENSION=FIRST..LAST;",
                "the dimension and the equals sign may be absent."
            })
    static final class Find implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Parameters(index = "0", paramLabel = "COLLECTION", description = "The collection.")
        private String collection = "";

        @Mixin private TagOptions tags = new TagOptions();

        @Mixin private TupleOutput output = new TupleOutput();

        @Override
        public Integer call() throws InterruptedException {
            return output.print(address, collection, "find", tags.json());
        }
    }

    /** Options that select tuples by tags. */
    static final class TagOptions {
        @Option(
                names = "--all",
                paramLabel = "CONDITION",
                description = "The tuple meets each of these. Can be repeated.")
        private List<String> all = new ArrayList<>();

        @Option(
                names = "--any",
                paramLabel = "CONDITION",
                description = "The tuple meets at least one of these. Can be repeated.")
        private List<String> any = new ArrayList<>();

        boolean isGiven() {
            return !all.isEmpty() || !any.isEmpty();
        }

        JsonObject json() {
            JsonObject body = new JsonObject();
            body.add("all", TupleText.conditions(all));
            body.add("any", TupleText.conditions(any));
            return body;
        }
    }

    /** Options about the output of tuples. */
    static final class TupleOutput {
        @Option(names = "--limit", description = "Number of tuples. Default: 100")
        private long limit = 100;

        @Option(names = "--json", description = "Print one tuple per line.")
        private boolean json;

        @Option(names = "--explain", description = "Also print how the tuples were found.")
        private boolean explain;

        int print(ServerAddress address, String collection, String verb, JsonObject body)
                throws InterruptedException {
            TextTable table = new TextTable(System.out);
            String access;
            try (TupleClient client = TupleClient.of(address)) {
                access =
                        client.pages(
                                collection,
                                verb,
                                body,
                                Math.max(1, limit),
                                tuple -> {
                                    if (json) {
                                        System.out.println(tuple);
                                    } else {
                                        TupleText.print(table, tuple);
                                    }
                                });
            }
            if (!json) {
                table.end();
            }
            if (explain) {
                Terminal.open(false).say("read: " + access);
            }
            return ExitCode.OK.number();
        }
    }
}
