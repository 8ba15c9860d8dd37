package petrichor.apps.manifest;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import petrichor.yaml.YamlMapping;

/**
 * App Engine's {@code dispatch.yaml}: which service gets a request, by its host and path.
 * Immutable.
 *
 * @param rules in the order in which they are tried; at most 20
 */
public record DispatchYaml(List<Rule> rules) {
    static final int RULES_MAX = 20;
    static final int URL_CHARACTERS_MAX = 100;

    /** No rules: the service follows from the host alone. */
    public static final DispatchYaml NONE = new DispatchYaml(List.of());

    private static final Set<String> FILE = Set.of("application", "dispatch");
    private static final Set<String> RULE = Set.of("url", "service", "module");

    /**
     * A host and a path to a service.
     *
     * @param host in lower case; one that begins with {@code *} matches every host with this end
     * @param path one that ends with {@code *} matches every path with this start
     */
    public record Rule(String host, String path, String service) {
        /** Whether a request belongs to this rule. */
        boolean matches(String requestHost, String requestPath) {
            boolean hostMatches =
                    host.startsWith("*")
                            ? requestHost.endsWith(host.substring(1))
                            : requestHost.equals(host);
            boolean pathMatches =
                    path.endsWith("*")
                            ? requestPath.startsWith(path.substring(0, path.length() - 1))
                            : requestPath.equals(path);
            return hostMatches && pathMatches;
        }
    }

    private static final Pattern SERVICE = Pattern.compile("(?!-)[a-z0-9-]{0,62}[a-z0-9]");
    private static final Pattern URL = Pattern.compile("([^/]+)(/.*)");
    private static final String LABEL = "[a-z0-9]([a-z0-9-]*+(?<!-))?";
    private static final Pattern EXACT_HOST = Pattern.compile("(" + LABEL + "\\.)*+" + LABEL);
    private static final Pattern ADDRESS = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}");

    public DispatchYaml {
        rules = List.copyOf(rules);
    }

    /**
     * @param file name for errors
     */
    public static DispatchYaml parse(String file, String text) {
        YamlMapping root = YamlMapping.parse(file, text, FILE);
        List<Rule> rules = new ArrayList<>();
        for (YamlMapping entry : root.items("dispatch", RULE, RULES_MAX)) {
            rules.add(rule(entry));
        }
        return new DispatchYaml(rules);
    }

    private static Rule rule(YamlMapping entry) {
        String field = entry.has("module") ? "module" : "service";
        if (entry.has("module") && entry.has("service")) {
            throw entry.invalid("module", "module is the former name of service");
        }
        entry.required(field);
        String service =
                entry.read(
                                field,
                                "a name of lower-case letters, digits and hyphens",
                                text -> SERVICE.matcher(text).matches() ? text : null)
                        .orElseThrow();
        entry.required("url");
        return entry.read(
                        "url",
                        "a host and a path of up to "
                                + URL_CHARACTERS_MAX
                                + " characters, such as example.com/* or */mobile/*",
                        text -> rule(text, service))
                .orElseThrow();
    }

    private static @Nullable Rule rule(String text, String service) {
        Matcher url = URL.matcher(text);
        if (text.length() > URL_CHARACTERS_MAX || !url.matches()) {
            return null;
        }
        String host = url.group(1);
        boolean valid =
                host.startsWith("*")
                        ? isSuffix(host.substring(1))
                        : EXACT_HOST.matcher(host).matches() && !isAddress(host);
        return valid ? new Rule(host, url.group(2), service) : null;
    }

    /** The end of a name: a part of a label, or a dot, and further labels. */
    private static boolean isSuffix(String suffix) {
        String name = suffix.startsWith(".") || suffix.startsWith("-") ? "a" + suffix : suffix;
        return suffix.isEmpty() || EXACT_HOST.matcher(name).matches();
    }

    private static boolean isAddress(String host) {
        if (!ADDRESS.matcher(host).matches()) {
            return false;
        }
        for (String part : host.split("\\.", -1)) {
            if (Integer.parseInt(part) > 255) {
                return false;
            }
        }
        return true;
    }

    /**
     * The service of the first rule that matches; empty if none does.
     *
     * @param host without the port
     * @param path without the query
     */
    public Optional<String> service(String host, String path) {
        String lower = host.toLowerCase(Locale.ROOT);
        return rules.stream()
                .filter(rule -> rule.matches(lower, path))
                .map(Rule::service)
                .findFirst();
    }
}
