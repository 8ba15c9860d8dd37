package petrichor.cli.apps;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.console.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "open",
        mixinStandardHelpOptions = true,
        description = "Print an app's URL and open it in a browser.")
final class AppOpenCommand implements Callable<Integer> {
    @Mixin private ServerAddress address = new ServerAddress();

    @Parameters(paramLabel = "APP", description = "Project of the app.")
    private String app = "";

    @Option(names = "--service", description = "Service of the app. Default: default")
    private String service = "default";

    @Option(names = "--print", description = "Only print the URL.")
    private boolean print;

    @Override
    public Integer call() throws InterruptedException {
        String url = url(AppCommand.read(address, AppCommand.page(app)));
        System.out.println(url);
        Optional<List<String>> browser =
                print
                        ? Optional.empty()
                        : browser(System.getProperty("os.name", ""), System.getenv());
        if (browser.isPresent()) {
            List<String> command = new ArrayList<>(browser.get());
            command.add(url);
            try {
                var _ =
                        new ProcessBuilder(command)
                                .redirectErrorStream(true)
                                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                                .start();
            } catch (IOException missing) {
                throw FileProblem.of("cannot start " + command.getFirst(), missing);
            }
        }
        return ExitCode.OK.number();
    }

    private String url(JsonObject found) {
        for (JsonElement each : found.getAsJsonArray("services")) {
            JsonObject one = each.getAsJsonObject();
            if (one.get("service").getAsString().equals(service)) {
                return one.get("url").getAsString();
            }
        }
        throw PetrichorException.of(
                ErrorCode.NOT_FOUND,
                "the app {app} has no service {service}; `petrichor app versions {app}` lists them",
                "app",
                app,
                "service",
                service);
    }

    /** The command that opens a URL; empty without a desktop. */
    static Optional<List<String>> browser(String system, Map<String, String> environment) {
        if (system.toLowerCase(Locale.ROOT).startsWith("mac")) {
            return Optional.of(List.of("open"));
        }
        boolean desktop =
                environment.containsKey("DISPLAY") || environment.containsKey("WAYLAND_DISPLAY");
        return desktop ? Optional.of(List.of("xdg-open")) : Optional.empty();
    }
}
