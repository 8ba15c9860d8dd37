package petrichor.apps.manifest;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The runtime of a folder without {@code app.yaml}, as its files show it. */
public sealed interface EvidentRuntime {
    /**
     * The files are of one language.
     *
     * @param file that shows it
     */
    record Found(AppRuntime runtime, String file) implements EvidentRuntime {}

    /**
     * The files are of several languages: {@code app.yaml} has to name one.
     *
     * @param files one of each language
     */
    record Ambiguous(List<String> files) implements EvidentRuntime {
        public Ambiguous {
            files = List.copyOf(files);
        }
    }

    /** No file shows a language. */
    record Unknown() implements EvidentRuntime {}

    /** What {@link #of} looks for, for errors. */
    String FILES =
            "requirements.txt, pyproject.toml, main.py, package.json, go.mod, pom.xml, WEB-INF, a"
                    + " .jar or a .war";

    /**
     * @param names of the files and folders directly in an app's folder
     */
    static EvidentRuntime of(Collection<String> names) {
        Map<Language, String> evidence = new EnumMap<>(Language.class);
        for (String name : names.stream().sorted().toList()) {
            Language language = language(name);
            if (language != null) {
                evidence.putIfAbsent(language, name);
            }
        }
        if (evidence.size() > 1) {
            return new Ambiguous(new ArrayList<>(evidence.values()));
        }
        for (Map.Entry<Language, String> only : evidence.entrySet()) {
            return new Found(new AppRuntime(only.getKey(), ""), only.getValue());
        }
        return new Unknown();
    }

    private static @Nullable Language language(String name) {
        return switch (name) {
            case "requirements.txt", "pyproject.toml", "main.py" -> Language.PYTHON;
            case "package.json" -> Language.NODE;
            case "go.mod" -> Language.GO;
            case "pom.xml", "WEB-INF" -> Language.JAVA;
            default -> {
                String lower = name.toLowerCase(Locale.ROOT);
                yield lower.endsWith(".jar") || lower.endsWith(".war") ? Language.JAVA : null;
            }
        };
    }
}
