package petrichor.cli.serving;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import petrichor.base.PetrichorException;
import petrichor.cli.connection.ServerFlags;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.Terminal;
import petrichor.server.config.ServerConfig;
import petrichor.server.config.Setting;
import petrichor.server.config.Settings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Checks a configuration as far as possible without starting a server. */
@Command(
        name = "validate",
        mixinStandardHelpOptions = true,
        description = {
            "Check the configuration without starting a server.",
            "Exits with 1 if a server with these flags would reject it."
        })
final class ConfigValidateCommand implements Callable<Integer> {
    @Mixin private ServerFlags flags = new ServerFlags();

    @Override
    public Integer call() {
        Terminal terminal = Terminal.open(false);
        Settings settings = flags.settings();
        ServerConfig config = ServerConfig.of(settings);
        settings.warnings().forEach(warning -> terminal.say("warning: " + warning));
        List<Path> missing = new ArrayList<>();
        Stream.of(
                        config.tls().map(files -> files.certificateChain()),
                        config.tls().map(files -> files.privateKey()),
                        config.auth().tokenFile(),
                        config.auth().tokensFile(),
                        config.indexes().file())
                .flatMap(Optional::stream)
                .filter(file -> !Files.isReadable(file))
                .forEach(missing::add);
        if (!missing.isEmpty()) {
            throw PetrichorException.invalid(
                    "the configuration names files that cannot be read: {missing}",
                    "missing",
                    String.join(", ", missing.stream().map(Path::toString).toList()));
        }
        long set = settings.list().stream().filter(Setting::isSet).count();
        System.out.println("valid: " + set + " of " + settings.list().size() + " keys are set");
        return ExitCode.OK.number();
    }
}
