package petrichor.frontends.http;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A path with parameters, such as {@code /v1/projects/{project}/operations/{id}:cancel}. A
 * parameter has at least one character and neither a slash nor a colon, because a colon precedes a
 * verb; a star at the end matches everything below a path. Immutable.
 *
 * @param prefix literal beginning, which rules out most paths without the pattern
 * @param names of the parameters, in order
 */
public record PathTemplate(String prefix, Pattern pattern, List<String> names) {
    private static final Pattern PARAMETER = Pattern.compile("\\{([a-z]+)}");
    private static final String VALUE = "([^/:]+)";
    private static final String BELOW = "/*";

    public static PathTemplate of(String path) {
        boolean below = path.endsWith(BELOW);
        String exact = below ? path.substring(0, path.length() - 1) : path;
        int first = exact.indexOf('{');
        StringBuilder pattern = new StringBuilder();
        List<String> names = new ArrayList<>();
        int from = 0;
        for (MatchResult parameter : PARAMETER.matcher(exact).results().toList()) {
            pattern.append(Pattern.quote(exact.substring(from, parameter.start()))).append(VALUE);
            names.add(parameter.group(1));
            from = parameter.end();
        }
        pattern.append(Pattern.quote(exact.substring(from))).append(below ? ".*" : "");
        return new PathTemplate(
                first < 0 ? exact : exact.substring(0, first),
                Pattern.compile(pattern.toString(), Pattern.DOTALL),
                List.copyOf(names));
    }

    /** The values of the parameters, if the path matches. */
    public Optional<Map<String, String>> match(String path) {
        if (!path.startsWith(prefix)) {
            return Optional.empty();
        }
        Matcher matcher = pattern.matcher(path);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i < names.size(); i++) {
            values.put(names.get(i), matcher.group(i + 1));
        }
        return Optional.of(values);
    }
}
