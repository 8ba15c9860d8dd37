package petrichor.apps.builds;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What is configured for pip, as variables of uv, which reads none of it: the package indexes and
 * how to reach them. Immutable.
 */
final class PipSettings {
    private static final Pattern SECTION = Pattern.compile("\\[\\s*(.+?)\\s*]");
    private static final Pattern SETTING = Pattern.compile("([A-Za-z_-]+)\\s*[=:]\\s*(.*)");
    private static final String VARIABLE = "PIP_";

    /** The sections that apply to {@code pip install}, the later one first. */
    private static final List<String> SECTIONS = List.of("install", "global");

    /** Have no influence on what is installed. */
    private static final Set<String> INSIGNIFICANT =
            Set.of(
                    "disable-pip-version-check",
                    "break-system-packages",
                    "root-user-action",
                    "progress-bar",
                    "no-cache-dir",
                    "no-color",
                    "no-input",
                    "retries",
                    "quiet",
                    "verbose");

    private final Map<String, String> settings = new TreeMap<>();

    /**
     * @param files texts of configuration files; later ones replace settings of former ones
     * @param variables of the environment, which replace those of files
     */
    PipSettings(List<String> files, Map<String, String> variables) {
        for (String file : files) {
            read(file);
        }
        variables.forEach(
                (name, value) -> {
                    if (name.startsWith(VARIABLE)) {
                        settings.put(key(name.substring(VARIABLE.length())), value);
                    }
                });
    }

    private void read(String file) {
        Map<String, Map<String, String>> sections = new TreeMap<>();
        String section = "";
        String last = "";
        for (String line : file.lines().toList()) {
            String text = line.strip();
            Matcher begin = SECTION.matcher(text);
            Matcher setting = SETTING.matcher(text);
            if (text.isEmpty() || text.startsWith("#") || text.startsWith(";")) {
                continue;
            }
            Map<String, String> current = sections.computeIfAbsent(section, _ -> new TreeMap<>());
            if (Character.isWhitespace(line.charAt(0)) && !last.isEmpty()) {
                current.merge(last, text, (former, more) -> former + " " + more);
            } else if (begin.matches()) {
                section = begin.group(1);
                last = "";
            } else if (setting.matches()) {
                last = key(setting.group(1));
                current.put(last, setting.group(2).strip());
            }
        }
        for (String each : SECTIONS.reversed()) {
            settings.putAll(sections.getOrDefault(each, Map.of()));
        }
    }

    private static String key(String name) {
        String key = name.toLowerCase(Locale.ROOT).replace('_', '-');
        return key.equals("default-timeout") ? "timeout" : key;
    }

    /** Empty if uv has no counterpart of one of them. */
    Optional<Map<String, String>> asVariablesOfUv() {
        Map<String, String> variables = new TreeMap<>();
        for (Map.Entry<String, String> setting : settings.entrySet()) {
            String value = setting.getValue();
            switch (setting.getKey()) {
                case "index-url" -> variables.put("UV_DEFAULT_INDEX", value);
                case "extra-index-url" -> {
                    variables.put("UV_INDEX", String.join(" ", words(value)));
                    // pip takes the newest version of all indexes.
                    variables.put("UV_INDEX_STRATEGY", "unsafe-best-match");
                }
                case "find-links" -> {
                    // uv fails if a folder does not exist.
                    String found =
                            words(value).stream()
                                    .filter(each -> !each.startsWith("/") || isFolder(each))
                                    .collect(Collectors.joining(","));
                    if (!found.isEmpty()) {
                        variables.put("UV_FIND_LINKS", found);
                    }
                }
                case "no-index" -> {
                    if (isTrue(value)) {
                        variables.put("UV_NO_INDEX", "1");
                    }
                }
                case "trusted-host" ->
                        variables.put("UV_INSECURE_HOST", String.join(" ", words(value)));
                case "cert" -> variables.put("SSL_CERT_FILE", value);
                case "proxy" -> {
                    variables.put("HTTP_PROXY", value);
                    variables.put("HTTPS_PROXY", value);
                }
                case "timeout" -> {
                    if (value.matches("\\d+")) {
                        variables.put("UV_HTTP_TIMEOUT", value);
                    }
                }
                default -> {
                    if (!INSIGNIFICANT.contains(setting.getKey())) {
                        return Optional.empty();
                    }
                }
            }
        }
        return Optional.of(variables);
    }

    private static List<String> words(String value) {
        return Stream.of(value.strip().split("\\s+")).filter(word -> !word.isEmpty()).toList();
    }

    private static boolean isFolder(String path) {
        return Files.isDirectory(Path.of(path));
    }

    private static boolean isTrue(String value) {
        return Set.of("1", "y", "yes", "t", "true", "on").contains(value.toLowerCase(Locale.ROOT));
    }
}
