package petrichor.apps.builds;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Go: one binary. Modules and compiled packages are in the app's downloads, so that a change
 * compiles only what depends on it; vendored modules are used if there are any. The package to
 * build is the variable GOOGLE_BUILDABLE, otherwise the root folder, otherwise the only folder in
 * cmd.
 */
final class GoSteps implements BuildSteps {
    private static final String BINARY = "main";
    private static final String BUILDABLE = "GOOGLE_BUILDABLE";
    private static final Pattern VERSION = Pattern.compile("go version go(\\d+(?:\\.\\d+)*).*");

    private final Path go;
    private final String version;
    private final String buildable;

    private GoSteps(Path go, String version, String buildable) {
        this.go = go;
        this.version = version;
        this.buildable = buildable;
    }

    static GoSteps of(BuildRun run) throws IOException {
        AppRuntime runtime = run.request().runtime();
        Set<String> others = new LinkedHashSet<>();
        for (Path candidate : run.tools().find("go")) {
            String answer = run.tools().ask(candidate, List.of("version"), run.app().user());
            Matcher matcher = VERSION.matcher(answer == null ? "" : answer.strip());
            if (matcher.matches()) {
                if (runtime.isReachedBy(matcher.group(1))) {
                    return new GoSteps(candidate, matcher.group(1), buildable(run));
                }
                others.add(matcher.group(1));
            }
        }
        throw PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                "{runtime} is not installed for the user of builds (found: {found}):"
                        + " install it",
                "runtime",
                runtime.titleOrNewer(),
                "found",
                others.isEmpty() ? "none" : String.join(", ", others));
    }

    private static String buildable(BuildRun run) throws IOException {
        if (!run.has("go.mod")) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "the app has no go.mod: create it by go mod init");
        }
        String named = run.request().environment().get(BUILDABLE);
        if (named != null) {
            if (named.isBlank() || named.startsWith("-")) {
                throw PetrichorException.invalid(
                        "GOOGLE_BUILDABLE is not a Go package: use a path such as ./cmd/server");
            }
            return named;
        }
        Path sources = run.request().sources().folder();
        if (hasGo(sources)) {
            return ".";
        }
        List<String> commands = new ArrayList<>();
        Path cmd = sources.resolve("cmd");
        if (Files.isDirectory(cmd)) {
            try (Stream<Path> folders = Files.list(cmd)) {
                for (Path folder : (Iterable<Path>) folders.sorted()::iterator) {
                    if (Files.isDirectory(folder) && hasGo(folder)) {
                        commands.add("./cmd/" + folder.getFileName());
                    }
                }
            }
        }
        if (commands.size() == 1) {
            return commands.getFirst();
        }
        throw PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                "the root folder contains no Go files: set the build environment variable"
                        + " GOOGLE_BUILDABLE to the package to build, such as ./cmd/server");
    }

    private static boolean hasGo(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .anyMatch(name -> name.endsWith(".go") && !name.endsWith("_test.go"));
        }
    }

    @Override
    public String toolchain() {
        return "go %s %s".formatted(version, go);
    }

    @Override
    public Start build(BuildRun run) throws IOException {
        run.downloads();
        Map<String, String> environment = environment(run);
        if (!Files.isDirectory(run.request().sources().folder().resolve("vendor"))) {
            int _ =
                    run.stage(
                            BuildStage.DEPENDENCIES,
                            () -> run(run, environment, "mod", "download"));
        }
        int _ =
                run.stage(
                        BuildStage.COMPILE,
                        () ->
                                run(
                                        run,
                                        environment,
                                        "build",
                                        "-trimpath",
                                        "-buildvcs=false",
                                        "-o",
                                        run.binaries().resolve(BINARY).toString(),
                                        buildable));
        return Start.of(
                run.request().entrypoint(),
                "exec " + BINARY,
                Map.of(
                        "PATH",
                        Tools.path(List.of(run.publishedContent().resolve(BuildRun.BINARIES)))));
    }

    private int run(BuildRun run, Map<String, String> environment, String... arguments)
            throws IOException {
        List<String> line = new ArrayList<>(List.of(go.toString()));
        line.addAll(List.of(arguments));
        run.run(FailureReason.Source.GO, line, run.appFolder(), environment);
        return 0;
    }

    private Map<String, String> environment(BuildRun run) throws IOException {
        Map<String, String> more = new TreeMap<>();
        more.put("GOCACHE", run.downloads("go-build").toString());
        more.put("GOMODCACHE", run.downloads("go-mod").toString());
        more.put("GOPATH", run.downloads("go").toString());
        // So that an eviction can delete the modules.
        more.put("GOFLAGS", "-modcacherw");
        more.put("GOTOOLCHAIN", "local");
        more.put("GOTELEMETRY", "off");
        return run.environment(List.of(go.getParent()), more);
    }
}
