package petrichor.apps.builds;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * Python: a layer with a virtual environment, then bytecode of the app. The environment is filled
 * by uv, or by pip of the interpreter where there is no uv. It is made in a temporary folder:
 * scripts name their interpreter by its path, which is replaced by the final one.
 */
final class PythonSteps implements BuildSteps {
    /** Bounds the search for the temporary path in scripts. */
    private static final long SCRIPT_BYTES_MAX = 1 << 20;

    private static final String SERVER = "gunicorn";

    /**
     * Local: the router is the only way in. Threads: App Engine sends up to ten requests at once.
     */
    private static final String START =
            "exec gunicorn --bind 127.0.0.1:$PORT --workers 1 --threads 8 --timeout 0 main:app";

    private static final String CHECK =
            """
            try:
                compile(open('main.py', 'rb').read(), 'main.py', 'exec')
            except SyntaxError as e:
                raise SystemExit(f'main.py:{e.lineno}: SyntaxError: {e.msg}')
            """;

    /** Google's build packs have this variable of the build environment. */
    private static final String INSTALLER = "GOOGLE_PYTHON_PACKAGE_MANAGER";

    /** uv brings certificates of its own; pip uses those of the machine. */
    private static final String SYSTEM_CERTIFICATES = "UV_SYSTEM_CERTS";

    private final PythonInterpreter python;
    private final @Nullable Path uv;
    private final Map<String, String> variablesOfUv;
    private final Requirements requirements;

    private PythonSteps(
            PythonInterpreter python,
            @Nullable Path uv,
            Map<String, String> variablesOfUv,
            Requirements requirements) {
        this.python = python;
        this.uv = uv;
        this.variablesOfUv = variablesOfUv;
        this.requirements = requirements;
    }

    static PythonSteps of(BuildRun run) throws IOException {
        AppRuntime runtime = run.request().runtime();
        PythonInterpreter python = PythonInterpreter.find(runtime, run.tools(), run.app().user());
        if (run.request().entrypoint() == null && !run.has("main.py")) {
            throw BuildSteps.noStart("main.py");
        }
        @Nullable Path uv = null;
        Optional<Map<String, String>> forUv = run.passed().forUv();
        Requirements requirements = Requirements.of(run.request().sources().folder());
        boolean installs = !requirements.isEmpty() || run.request().entrypoint() == null;
        if (wantsUv(run) && installs && forUv.isPresent()) {
            uv = run.uv().find(run, python).orElse(null);
        }
        return new PythonSteps(python, uv, forUv.orElse(Map.of()), requirements);
    }

    private static boolean wantsUv(BuildRun run) {
        String wanted = run.request().environment().getOrDefault(INSTALLER, "uv");
        if (!List.of("uv", "pip").contains(wanted)) {
            throw PetrichorException.invalid(
                    "{variable} is {value}: use pip or uv", "variable", INSTALLER, "value", wanted);
        }
        return wanted.equals("uv");
    }

    @Override
    public String toolchain() {
        return "python %s %s %s"
                .formatted(python.version(), python.executable(), uv == null ? "pip" : "uv");
    }

    @Override
    public Start build(BuildRun run) throws IOException {
        boolean withServer = run.request().entrypoint() == null && !requirements.contains(SERVER);
        ContentHash key =
                new ContentHash()
                        .add("python-layer-1")
                        .add(toolchain())
                        .add(requirements.texts())
                        .add(run.request().environment())
                        .add(withServer ? SERVER : "")
                        .add(requirements.isLocal() ? run.request().sources().hash() : "");
        BuildRun.Layer layer =
                run.stage(
                        BuildStage.DEPENDENCIES,
                        () ->
                                run.layer(
                                        key.hex(),
                                        (folder, published) ->
                                                install(run, folder, published, withServer)));
        int _ = run.stage(BuildStage.COMPILE, () -> compileApp(run));
        List<Path> executables =
                List.of(layer.folder().resolve("bin"), python.executable().getParent());
        return Start.of(
                run.request().entrypoint(),
                START,
                Map.of(
                        "PATH",
                        Tools.path(executables),
                        "VIRTUAL_ENV",
                        layer.folder().toString(),
                        "PYTHONDONTWRITEBYTECODE",
                        "1",
                        "PYTHONUNBUFFERED",
                        "1"));
    }

    private void install(BuildRun run, Path folder, Path published, boolean withServer)
            throws IOException {
        Map<String, String> environment = environment(run);
        List<String> install = new ArrayList<>();
        if (uv == null) {
            python(run, environment, "-m", "venv", "--without-pip", folder.toString());
            install.addAll(List.of(python.executable().toString(), "-m", "pip"));
            install.addAll(List.of("--python", folder.resolve("bin/python").toString()));
            install.addAll(List.of("install", "--no-input", "--no-compile"));
            install.addAll(List.of("--disable-pip-version-check", "--no-warn-script-location"));
        } else {
            run.run(
                    FailureReason.Source.PIP,
                    List.of(
                            uv.toString(),
                            "venv",
                            "--allow-existing",
                            "--python",
                            python.executable().toString(),
                            folder.toString()),
                    run.appFolder(),
                    environment);
            install.addAll(List.of(uv.toString(), "pip", "install"));
            install.addAll(List.of("--python", folder.resolve("bin/python").toString()));
        }
        int options = install.size();
        if (!requirements.isEmpty()) {
            install.addAll(List.of("-r", Requirements.FILE));
        }
        if (withServer) {
            install.add(SERVER);
        }
        if (install.size() > options) {
            run.run(FailureReason.Source.PIP, install, run.appFolder(), environment);
        }
        int _ = compile(run, folder, published, folder.resolve("lib"));
        relocate(folder, published);
    }

    private Map<String, String> environment(BuildRun run) throws IOException {
        Map<String, String> more = new TreeMap<>();
        if (uv != null) {
            more.putAll(variablesOfUv);
            if (!run.passed().variables().containsKey(SYSTEM_CERTIFICATES)) {
                more.put(SYSTEM_CERTIFICATES, "1");
            }
        }
        more.put("PIP_CACHE_DIR", run.downloads("pip").toString());
        more.put("UV_CACHE_DIR", run.downloads("uv").toString());
        // A link would let later builds of the app change the published layer.
        more.put("UV_LINK_MODE", "copy");
        more.put("UV_NO_PROGRESS", "1");
        more.put("UV_PYTHON_DOWNLOADS", "never");
        more.put("PYTHONDONTWRITEBYTECODE", "1");
        return run.environment(List.of(python.executable().getParent()), more);
    }

    private void python(BuildRun run, Map<String, String> environment, String... arguments)
            throws IOException {
        List<String> line = new ArrayList<>(List.of(python.executable().toString()));
        line.addAll(List.of(arguments));
        run.run(FailureReason.Source.PYTHON, line, run.appFolder(), environment);
    }

    /** Some packages contain templates that do not compile, which is not a failure. */
    private int compile(BuildRun run, Path folder, Path published, Path part) throws IOException {
        List<String> line = new ArrayList<>(List.of(python.executable().toString()));
        // unchecked: the files are immutable, so Python need not compare times.
        line.addAll(List.of("-m", "compileall", "-q", "-j", "0"));
        line.addAll(List.of("--invalidation-mode", "unchecked-hash"));
        line.addAll(List.of("-s", folder.toString(), "-p", published.toString()));
        line.add(part.toString());
        return run.execute(line, run.appFolder(), environment(run), null);
    }

    /** A syntax error in main.py fails the build; one elsewhere is in the log. */
    private int compileApp(BuildRun run) throws IOException {
        if (run.request().entrypoint() == null) {
            python(run, environment(run), "-c", CHECK);
        }
        return compile(run, run.content(), run.publishedContent(), run.appFolder());
    }

    private static void relocate(Path folder, Path published) throws IOException {
        List<Path> files = new ArrayList<>(List.of(folder.resolve("pyvenv.cfg")));
        try (Stream<Path> scripts = Files.list(folder.resolve("bin"))) {
            scripts.forEach(files::add);
        }
        for (Path file : files) {
            if (Files.isRegularFile(file, NOFOLLOW_LINKS) && Files.size(file) <= SCRIPT_BYTES_MAX) {
                String text = new String(Files.readAllBytes(file), ISO_8859_1);
                String moved = text.replace(folder.toString(), published.toString());
                if (!moved.equals(text)) {
                    Path _ = Files.write(file, moved.getBytes(ISO_8859_1));
                }
            }
        }
    }
}
