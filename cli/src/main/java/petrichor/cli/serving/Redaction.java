package petrichor.cli.serving;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import petrichor.server.config.PlacementSettings;
import petrichor.server.config.Setting;
import petrichor.server.config.Settings;

/**
 * Removes secrets from text that leaves this machine: the known secrets of the configuration and
 * the environment, wherever they occur, and everything that looks like a secret.
 */
final class Redaction {
    static final String REMOVED = "(removed)";

    /** Shorter secrets are not removed: they would match large parts of the text. */
    private static final int SECRET_CHARS_MIN = 4;

    /**
     * Minimum length of words to remove from files that contain more than a secret, such as its
     * name.
     */
    private static final int WORD_CHARS_MIN = 12;

    private static final Pattern WORD = Pattern.compile("\\s+");

    private static final Pattern NAME_OF_SECRET =
            Pattern.compile(".*(password|passwd|secret|token|credential|api_?key|access_?key).*");

    /** The text before the secret, the secret, and the text after it. */
    private static final List<Pattern> PATTERNS =
            List.of(
                    Pattern.compile("([a-z][a-z0-9+.-]*://[^:@/?\\s\"]*:)([^@/?\\s\"]+)(@)"),
                    Pattern.compile("(?i)(bearer\\s+)([A-Za-z0-9._~+/=-]+)()"),
                    Pattern.compile(
                            "(?i)((?:password|passwd|secret|token)[\\w.-]*(?:\\\\*\")?\\s*[=:]\\s*(?:\\\\*\")?)([^\\s\",;&\\\\]+)()"),
                    Pattern.compile(
                            "(?s)(-----BEGIN [A-Z ]*PRIVATE KEY-----)(.*?)(-----END [A-Z ]*PRIVATE"
                                    + " KEY-----)"));

    private static final Pattern USER_INFO = Pattern.compile("://[^:@/?]*:([^@/?]+)@");

    private final List<String> secrets;

    private Redaction(List<String> secrets) {
        this.secrets = secrets;
    }

    /**
     * @param environment of this process
     */
    static Redaction of(Settings settings, Map<String, String> environment, String token) {
        List<String> secrets = new ArrayList<>();
        secrets.add(token);
        for (Setting setting : settings.list()) {
            if (setting.isSecret()) {
                secrets.add(setting.value());
                USER_INFO.matcher(setting.value()).results().forEach(r -> secrets.add(r.group(1)));
            }
            if (setting.key().key().endsWith("-file") && !setting.value().isEmpty()) {
                addContent(secrets, setting.value());
            }
        }
        for (PlacementSettings.Line line : settings.placement().lines()) {
            if (line.key().equals("password-file")) {
                addContent(secrets, line.value());
            }
        }
        environment.forEach(
                (name, value) -> {
                    if (NAME_OF_SECRET.matcher(name.toLowerCase(Locale.ROOT)).matches()) {
                        secrets.add(value);
                    }
                });
        secrets.removeIf(secret -> secret.length() < SECRET_CHARS_MIN);
        // Longer secrets first, because they may contain shorter ones.
        secrets.sort(Comparator.comparingInt(String::length).reversed());
        return new Redaction(List.copyOf(secrets));
    }

    private static void addContent(List<String> secrets, String file) {
        try {
            for (String line : Files.readAllLines(Path.of(file))) {
                secrets.add(line.strip());
                WORD.splitAsStream(line)
                        .filter(word -> word.length() >= WORD_CHARS_MIN)
                        .forEach(secrets::add);
            }
        } catch (IOException unreadable) {
            // Files that this process cannot read are not in the bundle either.
        }
    }

    String of(String text) {
        String clean = text;
        for (String secret : secrets) {
            clean = clean.replace(secret, REMOVED);
        }
        for (Pattern pattern : PATTERNS) {
            clean = pattern.matcher(clean).replaceAll("$1" + REMOVED + "$3");
        }
        return clean;
    }
}
