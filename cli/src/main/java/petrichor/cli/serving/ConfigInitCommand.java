package petrichor.cli.serving;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.Terminal;
import petrichor.server.config.Setting;
import petrichor.server.config.Settings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes a configuration file in which every key is commented out and has its default value. */
@Command(
        name = "init",
        mixinStandardHelpOptions = true,
        description = "Write a petrichor.toml that lists every key with its default.")
final class ConfigInitCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "FILE",
            arity = "0..1",
            description = "The file to write; - for standard output. Default: petrichor.toml")
    private String file = "petrichor.toml";

    @Option(names = "--force", description = "Replace the file if it exists.")
    private boolean force;

    @Override
    public Integer call() {
        if (file.equals("-")) {
            System.out.print(text());
            return ExitCode.OK.number();
        }
        Path path = Path.of(file);
        OpenOption how = force ? StandardOpenOption.CREATE : StandardOpenOption.CREATE_NEW;
        try {
            Files.writeString(
                    path,
                    text(),
                    how,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.TRUNCATE_EXISTING);
        } catch (FileAlreadyExistsException exists) {
            throw PetrichorException.of(
                    ErrorCode.ALREADY_EXISTS,
                    exists,
                    "{file} exists; --force replaces it",
                    "file",
                    path);
        } catch (IOException failed) {
            throw FileProblem.of("cannot write " + path, failed);
        }
        Terminal.open(false).say("wrote " + path + "; `petrichor up` in this folder reads it");
        return ExitCode.OK.number();
    }

    static String text() {
        StringBuilder text =
                new StringBuilder(
                        "# Petrichor's configuration. Remove the # of a line to set it.\n");
        String section = "";
        for (Setting setting : Settings.read(Optional.empty(), Map.of(), Map.of()).list()) {
            String[] name = setting.key().key().split("\\.", 2);
            if (!name[0].equals(section)) {
                section = name[0];
                text.append("\n[").append(section).append("]\n");
            }
            text.append("# ").append(setting.key().doc()).append('\n');
            text.append("# ").append(name[1]).append(" = ");
            text.append(ConfigCommand.literal(setting)).append('\n');
        }
        return text.toString();
    }
}
