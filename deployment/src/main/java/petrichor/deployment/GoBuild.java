package petrichor.deployment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** Builds a program from the source of a Go module, into the {@link Cache}. */
final class GoBuild {
    /** The program's name in its folder. */
    static final String PROGRAM = "program";

    private GoBuild() {}

    static Path folder(
            Cache cache, Dependency.GoProgram program, String version, Progress progress) {
        return cache.folder(
                Cache.key(program.name(), version, program),
                folder -> {
                    progress.say(
                            "building "
                                    + program.name()
                                    + " "
                                    + version
                                    + " with Go (minutes, once)");
                    build(program, folder);
                });
    }

    /**
     * Builds the module in a copy of its folder, to which files may be added. Obtains it by naming
     * it as a requirement: requesting it directly also requests the list of its versions, which not
     * every proxy provides.
     */
    private static void build(Dependency.GoProgram program, Path folder) throws IOException {
        String[] module = program.module().split("@", -1);
        Path work = Files.createDirectory(folder.resolve(".work"));
        Files.writeString(
                work.resolve("go.mod"),
                "module work\n\nrequire %s %s\n".formatted(module[0], module[1]));
        String source =
                go(
                                "cd %s && go mod download -json %s | sed -n 's/.*\"Dir\": \"\\(.*\\)\".*/\\1/p'"
                                        .formatted(
                                                Shell.quoted(work.toString()),
                                                Shell.quoted(module[0])),
                                program)
                        .strip();
        if (source.isEmpty()) {
            throw cannot(program, "its module cannot be downloaded; check GOPROXY and the network");
        }
        Path copy = work.resolve("source");
        go(
                "cp -r %1$s %2$s && chmod -R u+w %2$s"
                        .formatted(Shell.quoted(source), Shell.quoted(copy.toString())),
                program);
        for (Map.Entry<String, String> file : program.files().entrySet()) {
            Path path = copy.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue());
        }
        go(
                "cd %s && GOFLAGS=-mod=mod go build -tags %s -o %s %s"
                        .formatted(
                                Shell.quoted(copy.toString()),
                                Shell.quoted(String.join(",", program.tags())),
                                Shell.quoted(folder.resolve(PROGRAM).toString()),
                                Shell.quoted(program.mainPackage())),
                program);
        Cache.delete(work);
    }

    private static String go(String script, Dependency.GoProgram program) {
        String withGo =
                "export PATH=\"$PATH:/usr/local/go/bin\"; command -v go >/dev/null || {"
                        + " echo 'Go is not on PATH; install it (apt-get install golang-go)'"
                        + " >&2; exit 1; }; "
                        + script;
        Shell.Ended ended = Shell.run(List.of("/bin/sh", "-c", withGo), Shell.NO_INPUT, Shell.LONG);
        if (!ended.succeeded()) {
            throw cannot(program, ended.complaint());
        }
        return ended.output();
    }

    private static PetrichorException cannot(Dependency.GoProgram program, String why) {
        return PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                "{program} cannot be built from {module}: {reason}",
                "program",
                program.name(),
                "module",
                program.module(),
                "reason",
                why);
    }
}
