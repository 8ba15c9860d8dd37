package petrichor.apps.hosting;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import petrichor.apps.manifest.AppYaml;
import petrichor.apps.manifest.EvidentRuntime;
import petrichor.apps.manifest.Procfile;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;

/**
 * What the sources of a version say about it: {@code app.yaml}, or the evident runtime of an app
 * without one; a {@code Procfile} gives the command that {@code app.yaml} does not.
 */
record AppManifest(AppYaml yaml, Optional<String> entrypoint) {
    private static final String APP_YAML = "app.yaml";
    private static final String PROCFILE = "Procfile";
    private static final int FILE_BYTES_MAX = 1 << 20;

    /** INVALID_ARGUMENT, with the line, if a file is not valid. */
    static AppManifest read(Path sources) {
        Optional<String> text = text(sources, APP_YAML);
        AppYaml yaml = text.isPresent() ? AppYaml.parse(APP_YAML, text.get()) : evident(sources);
        Optional<String> command =
                yaml.execution()
                        .entrypoint()
                        .or(
                                () ->
                                        text(sources, PROCFILE)
                                                .flatMap(
                                                        lines ->
                                                                Procfile.parse(PROCFILE, lines)
                                                                        .web()));
        return new AppManifest(yaml, command);
    }

    private static AppYaml evident(Path sources) {
        return switch (EvidentRuntime.of(names(sources))) {
            case EvidentRuntime.Found(var runtime, _) -> AppYaml.of(runtime);
            case EvidentRuntime.Ambiguous(List<String> files) ->
                    throw PetrichorException.invalid(
                            "the app has no app.yaml, and its files {files} are of several"
                                    + " languages; add an app.yaml with the runtime",
                            "files",
                            files);
            case EvidentRuntime.Unknown() ->
                    throw PetrichorException.invalid(
                            "the app has no app.yaml, and none of {files}; add an app.yaml with the"
                                    + " runtime",
                            "files",
                            EvidentRuntime.FILES);
        };
    }

    private static List<String> names(Path sources) {
        try (Stream<Path> files = Files.list(sources)) {
            return files.map(file -> file.getFileName().toString()).toList();
        } catch (IOException e) {
            throw FileProblem.of("cannot read the sources in " + sources, e);
        }
    }

    /** Empty if there is no such file. */
    static Optional<String> text(Path sources, String name) {
        Path file = sources.resolve(name);
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        try {
            if (Files.size(file) > FILE_BYTES_MAX) {
                throw PetrichorException.invalid(
                        "{file} has more than {bytesMax} bytes; make it smaller",
                        "file",
                        name,
                        "bytesMax",
                        FILE_BYTES_MAX);
            }
            return Optional.of(new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw FileProblem.of("cannot read " + name, e);
        }
    }
}
