package petrichor.cli.apps;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.concurrent.Callable;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.console.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands {@code app domain}. */
@Command(
        name = "domain",
        mixinStandardHelpOptions = true,
        description = "Manage domains of an app.",
        subcommands = {
            AppDomainCommand.Add.class,
            AppDomainCommand.ListDomains.class,
            AppDomainCommand.Remove.class
        })
final class AppDomainCommand {
    private AppDomainCommand() {}

    /** An app, and the form of the output. */
    static final class Choice {
        @Mixin private ServerAddress address = new ServerAddress();

        @Parameters(index = "0", paramLabel = "APP", description = "Project of the app.")
        private String app = "";

        @Option(names = "--json", description = "Print one JSON object.")
        private boolean json;

        private String page() {
            return AppCommand.page(app) + "/domains";
        }

        int list() throws InterruptedException {
            return print(AppCommand.read(address, page()));
        }

        int change(JsonObject change) throws InterruptedException {
            return print(AppCommand.change(address, page(), change));
        }

        private int print(JsonObject answer) {
            if (json) {
                System.out.println(answer);
            } else {
                for (JsonElement each : answer.getAsJsonArray("domains")) {
                    System.out.println(line(each.getAsJsonObject()));
                }
            }
            return ExitCode.OK.number();
        }

        private static String line(JsonObject domain) {
            StringBuilder line = new StringBuilder(domain.get("host").getAsString());
            line.append("  ").append(domain.get("service").getAsString());
            JsonObject certificate = domain.getAsJsonObject("certificate");
            if (certificate.has("expires")) {
                line.append("  certificate until ").append(text(certificate, "expires"));
            }
            switch (text(certificate, "order")) {
                case "failed" ->
                        line.append("  order failed: ")
                                .append(text(certificate, "reason"))
                                .append("; next attempt at ")
                                .append(text(certificate, "next"));
                case "running" -> line.append("  certificate ordered");
                default -> {}
            }
            return line.toString();
        }

        private static String text(JsonObject from, String name) {
            return from.has(name) ? from.get(name).getAsString() : "";
        }
    }

    private static JsonObject change(String action, String host) {
        JsonObject change = new JsonObject();
        change.addProperty("action", action);
        change.addProperty("host", host);
        return change;
    }

    @Command(
            name = "add",
            mixinStandardHelpOptions = true,
            description = "Let a domain lead to an app.")
    static final class Add implements Callable<Integer> {
        @Mixin private Choice choice = new Choice();

        @Parameters(
                index = "1",
                paramLabel = "HOST",
                description = "Domain, such as www.example.com or *.example.com.")
        private String host = "";

        @Option(names = "--service", description = "Service of the app. Default: default")
        private String service = "default";

        @Override
        public Integer call() throws InterruptedException {
            JsonObject change = change("add", host);
            change.addProperty("service", service);
            return choice.change(change);
        }
    }

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = "List the domains of an app.")
    static final class ListDomains implements Callable<Integer> {
        @Mixin private Choice choice = new Choice();

        @Override
        public Integer call() throws InterruptedException {
            return choice.list();
        }
    }

    @Command(
            name = "remove",
            mixinStandardHelpOptions = true,
            description = "Remove a domain from an app.")
    static final class Remove implements Callable<Integer> {
        @Mixin private Choice choice = new Choice();

        @Parameters(index = "1", paramLabel = "HOST", description = "Domain of the app.")
        private String host = "";

        @Override
        public Integer call() throws InterruptedException {
            return choice.change(change("remove", host));
        }
    }
}
