package petrichor.cli.apps;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.connection.ServerPage;
import petrichor.cli.console.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "app",
        mixinStandardHelpOptions = true,
        description = "Manage deployed apps.",
        subcommands = {
            AppCommand.ListAll.class,
            AppCommand.Versions.class,
            AppCommand.Promote.class,
            AppCommand.Split.class,
            AppCommand.Rollback.class,
            AppCommand.Start.class,
            AppCommand.Stop.class,
            AppCommand.Explain.class,
            AppCommand.Logs.class,
            AppOpenCommand.class,
            AppVariablesCommand.Env.class,
            AppVariablesCommand.Secret.class,
            AppDomainCommand.class,
            AppQuotaCommand.class,
            AppCommand.Delete.class
        })
public final class AppCommand {
    private static final String PAGE = "/petrichor/v1/apps";
    private static final double PERCENT = 100;

    private AppCommand() {}

    @Command(name = "list", mixinStandardHelpOptions = true, description = "List the apps.")
    static final class ListAll implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Option(names = "--json", description = "Print one JSON object.")
        private boolean json;

        @Override
        public Integer call() throws InterruptedException {
            JsonObject all = read(address, PAGE);
            if (json) {
                System.out.println(all);
            } else {
                for (JsonElement app : all.getAsJsonArray("apps")) {
                    System.out.print(table(app.getAsJsonObject()));
                }
            }
            return ExitCode.OK.number();
        }
    }

    @Command(
            name = "versions",
            mixinStandardHelpOptions = true,
            description = "List the versions of an app.")
    static final class Versions implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Parameters(paramLabel = "APP", description = "Project of the app.")
        private String app = "";

        @Option(names = "--json", description = "Print one JSON object.")
        private boolean json;

        @Override
        public Integer call() throws InterruptedException {
            JsonObject found = read(address, page(app));
            System.out.print(json ? found + System.lineSeparator() : table(found));
            return ExitCode.OK.number();
        }
    }

    /** An app and one of its services. */
    static final class ServiceChoice {
        @Mixin private ServerAddress address = new ServerAddress();

        @Parameters(index = "0", paramLabel = "APP", description = "Project of the app.")
        private String app = "";

        @Option(names = "--service", description = "Service of the app. Default: default")
        private String service = "default";

        JsonObject change(String action) {
            JsonObject change = new JsonObject();
            change.addProperty("action", action);
            change.addProperty("service", service);
            return change;
        }

        int send(JsonObject change) throws InterruptedException {
            JsonObject after = AppCommand.change(address, page(app), change);
            System.out.print(table(after));
            return ExitCode.OK.number();
        }

        int send(String action, String version) throws InterruptedException {
            JsonObject change = change(action);
            change.addProperty("version", version);
            return send(change);
        }
    }

    @Command(
            name = "promote",
            mixinStandardHelpOptions = true,
            description = "Send all requests to a version.")
    static final class Promote implements Callable<Integer> {
        @Mixin private ServiceChoice choice = new ServiceChoice();

        @Parameters(index = "1", paramLabel = "VERSION", description = "Version of the service.")
        private String version = "";

        @Override
        public Integer call() throws InterruptedException {
            return choice.send("promote", version);
        }
    }

    @Command(
            name = "split",
            mixinStandardHelpOptions = true,
            description = "Split requests among versions.")
    static final class Split implements Callable<Integer> {
        @Mixin private ServiceChoice choice = new ServiceChoice();

        @Parameters(
                index = "1..*",
                arity = "1..*",
                paramLabel = "VERSION=SHARE",
                description = "Shares from 0 to 1, such as v1=0.9 v2=0.1.")
        private Map<String, Double> shares = new TreeMap<>();

        @Option(names = "--by", description = "cookie, ip or random. Default: random")
        private String by = "random";

        @Override
        public Integer call() throws InterruptedException {
            JsonObject change = choice.change("split");
            JsonObject wanted = new JsonObject();
            shares.forEach(wanted::addProperty);
            change.add("shares", wanted);
            change.addProperty("by", by);
            return choice.send(change);
        }
    }

    @Command(
            name = "rollback",
            mixinStandardHelpOptions = true,
            description = "Return to the versions before the last change.")
    static final class Rollback implements Callable<Integer> {
        @Mixin private ServiceChoice choice = new ServiceChoice();

        @Override
        public Integer call() throws InterruptedException {
            return choice.send(choice.change("rollback"));
        }
    }

    @Command(
            name = "start",
            mixinStandardHelpOptions = true,
            description = "Start a version that was stopped.")
    static final class Start implements Callable<Integer> {
        @Mixin private ServiceChoice choice = new ServiceChoice();

        @Parameters(index = "1", paramLabel = "VERSION", description = "Version of the service.")
        private String version = "";

        @Override
        public Integer call() throws InterruptedException {
            return choice.send("start", version);
        }
    }

    @Command(
            name = "stop",
            mixinStandardHelpOptions = true,
            description = "Stop the instances of a version.")
    static final class Stop implements Callable<Integer> {
        @Mixin private ServiceChoice choice = new ServiceChoice();

        @Parameters(index = "1", paramLabel = "VERSION", description = "Version of the service.")
        private String version = "";

        @Override
        public Integer call() throws InterruptedException {
            return choice.send("stop", version);
        }
    }

    @Command(
            name = "delete",
            mixinStandardHelpOptions = true,
            description = "Delete an app or a version, but no data.")
    static final class Delete implements Callable<Integer> {
        @Mixin private ServiceChoice choice = new ServiceChoice();

        @Parameters(
                index = "1",
                arity = "0..1",
                paramLabel = "VERSION",
                description = "Version of the service. Default: the app with all versions")
        private @Nullable String version;

        @Override
        public Integer call() throws InterruptedException {
            return version == null
                    ? choice.send(choice.change("delete"))
                    : choice.send("delete-version", version);
        }
    }

    @Command(
            name = "explain",
            mixinStandardHelpOptions = true,
            description = "Show the instances of an app and why they run.")
    static final class Explain implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Parameters(paramLabel = "APP", description = "Project of the app.")
        private String app = "";

        @Option(names = "--json", description = "Print one JSON object.")
        private boolean json;

        @Override
        public Integer call() throws InterruptedException {
            JsonObject found = read(address, page(app));
            if (json) {
                System.out.println(found);
            } else {
                for (JsonElement each : found.getAsJsonArray("fleets")) {
                    System.out.print(explained(each.getAsJsonObject()));
                }
            }
            return ExitCode.OK.number();
        }

        private static String explained(JsonObject fleet) {
            StringBuilder text = new StringBuilder();
            text.append(fleet.get("service").getAsString())
                    .append('/')
                    .append(fleet.get("version").getAsString())
                    .append(": ")
                    .append(fleet.get("explanation").getAsString())
                    .append(System.lineSeparator());
            if (fleet.has("failure")) {
                text.append("  last failure: ")
                        .append(fleet.get("failure").getAsString())
                        .append(System.lineSeparator());
            }
            if (fleet.has("decidedBy")) {
                text.append("  decided by ")
                        .append(fleet.get("decidedBy").getAsString())
                        .append(" for all servers:");
                String separator = " ";
                for (Map.Entry<String, JsonElement> share :
                        fleet.getAsJsonObject("shares").entrySet()) {
                    text.append(separator)
                            .append(share.getValue().getAsInt())
                            .append(" on ")
                            .append(share.getKey());
                    separator = ", ";
                }
                text.append(System.lineSeparator());
            }
            for (JsonElement each : fleet.getAsJsonArray("instances")) {
                JsonObject instance = each.getAsJsonObject();
                text.append("  ")
                        .append(instance.get("instance").getAsString())
                        .append("  ")
                        .append(instance.get("state").getAsString())
                        .append("  ")
                        .append(instance.get("requests").getAsInt())
                        .append(" requests");
                if (instance.has("server")) {
                    text.append("  on ").append(instance.get("server").getAsString());
                }
                if (instance.has("memoryBytes")) {
                    text.append("  ")
                            .append(instance.get("memoryBytes").getAsLong() >> 20)
                            .append(" MiB");
                }
                if (instance.has("reason")) {
                    text.append("  started because: ").append(instance.get("reason").getAsString());
                }
                text.append(System.lineSeparator());
            }
            return text.toString();
        }
    }

    @Command(
            name = "logs",
            mixinStandardHelpOptions = true,
            description = "Show the output of an app's instances.")
    static final class Logs implements Callable<Integer> {
        private static final Duration FOLLOW_MAX = Duration.ofDays(1);

        @Mixin private ServiceChoice choice = new ServiceChoice();

        @Option(
                names = "--version-id",
                paramLabel = "NAME",
                description = "Version of the service. Default: the one with most requests")
        private @Nullable String version;

        @Option(names = "--lines", description = "How many lines. Default: 100")
        private int lines = 100;

        @Option(
                names = {"-f", "--follow"},
                description = "Continue with new lines.")
        private boolean follow;

        @Override
        public Integer call() throws InterruptedException {
            String path =
                    page(choice.app)
                            + "/log?service="
                            + encoded(choice.service)
                            + "&lines="
                            + lines
                            + "&follow="
                            + follow
                            + (version == null ? "" : "&version=" + encoded(version));
            try (ServerAddress.Connection connection = choice.address.connect(false)) {
                String server = connection.client().address();
                HttpRequest request =
                        ServerPage.request(
                                        server, path, choice.address.token(), choice.address.tls())
                                .timeout(FOLLOW_MAX)
                                .build();
                try (HttpClient client = ServerPage.client(choice.address.tls())) {
                    HttpResponse<InputStream> answer =
                            client.send(request, HttpResponse.BodyHandlers.ofInputStream());
                    try (InputStream text = answer.body()) {
                        if (answer.statusCode() != 200) {
                            throw PetrichorException.of(
                                    ErrorCode.FAILED_PRECONDITION,
                                    "there is no log: {answer}",
                                    "answer",
                                    new String(text.readAllBytes(), StandardCharsets.UTF_8)
                                            .strip());
                        }
                        text.transferTo(System.out);
                    }
                } catch (IOException failed) {
                    throw ServerPage.noAnswer(server, failed);
                }
            }
            return ExitCode.OK.number();
        }
    }

    static String page(String app) {
        return PAGE + "/" + encoded(app);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    static JsonObject read(ServerAddress address, String path) throws InterruptedException {
        try (ServerAddress.Connection connection = address.connect(false)) {
            return ServerPage.read(
                    connection.client().address(),
                    path,
                    address.token(),
                    address.tls(),
                    "its apps");
        }
    }

    static JsonObject change(ServerAddress address, String path, JsonObject change)
            throws InterruptedException {
        return address.change(path, change);
    }

    private static String table(JsonObject app) {
        StringBuilder text = new StringBuilder();
        if (app.getAsJsonArray("services").isEmpty()) {
            text.append(app.get("project").getAsString())
                    .append("  no version")
                    .append(System.lineSeparator());
        }
        for (JsonElement service : app.getAsJsonArray("services")) {
            String name =
                    app.get("project").getAsString()
                            + "/"
                            + service.getAsJsonObject().get("service").getAsString();
            for (JsonElement each : service.getAsJsonObject().getAsJsonArray("versions")) {
                JsonObject version = each.getAsJsonObject();
                text.append(
                        String.format(
                                Locale.ROOT,
                                "%s/%s  %.1f %%  %s  %s%n",
                                name,
                                version.get("version").getAsString(),
                                version.get("share").getAsDouble() * PERCENT,
                                version.get("serving").getAsBoolean() ? "serving" : "stopped",
                                version.get("deployed").getAsString()));
            }
        }
        return text.toString();
    }
}
