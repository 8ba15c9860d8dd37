package petrichor.apps.router.table;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.nio.file.Path;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * A handler of {@code app.yaml}: who may use the paths that its pattern matches, and what answers
 * them. Patterns run in linear time, because apps write them and all apps share the router.
 */
public final class UrlHandler {
    private static final Pattern ALL = Pattern.compile("/.*");
    private static final String REST = ".*";
    private static final String PREFIX_REST = "/(.*)";

    private final Pattern pattern;

    /** Of a pattern that is a prefix, without special characters, and anything after it. */
    private final @Nullable String prefix;

    private final Protection protection;
    private final HandlerTarget target;

    private UrlHandler(Pattern pattern, Protection protection, HandlerTarget target) {
        this.pattern = pattern;
        this.prefix = literalPrefix(pattern.pattern());
        this.protection = protection;
        this.target = target;
    }

    private static @Nullable String literalPrefix(String expression) {
        String before =
                expression.endsWith(REST)
                        ? expression.substring(0, expression.length() - REST.length())
                        : "";
        return before.matches("[A-Za-z0-9_/-]+") ? before : null;
    }

    /** All paths to the instances, open to everyone. */
    public static UrlHandler instances() {
        return new UrlHandler(ALL, Protection.OPEN, new HandlerTarget.Instances());
    }

    /**
     * @param url as in {@code app.yaml}: a prefix for a folder of files, otherwise a regular
     *     expression for the complete path
     */
    public static UrlHandler of(String url, Protection protection, HandlerTarget target) {
        String expression =
                switch (target) {
                    case HandlerTarget.Instances _, HandlerTarget.File _ -> complete(url);
                    case HandlerTarget.Folder _ -> prefix(url) + PREFIX_REST;
                };
        try {
            return new UrlHandler(Pattern.compile(expression), protection, target);
        } catch (PatternSyntaxException invalid) {
            throw PetrichorException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    invalid,
                    "the handler's url '{url}' is not a regular expression: {reason}",
                    "url",
                    url,
                    "reason",
                    invalid.getMessage());
        }
    }

    private static String complete(String url) {
        int from = url.startsWith("^") ? 1 : 0;
        int to = url.endsWith("$") && !url.endsWith("\\$") ? url.length() - 1 : url.length();
        return url.substring(from, Math.max(from, to));
    }

    private static String prefix(String url) {
        String complete = complete(url);
        return complete.endsWith("/") ? complete.substring(0, complete.length() - 1) : complete;
    }

    public Protection protection() {
        return protection;
    }

    public HandlerTarget target() {
        return target;
    }

    /**
     * Whether this handler answers the path.
     *
     * @param exists of a folder and a relative file name
     */
    boolean matches(String path, BiPredicate<Path, String> exists) {
        return matches(path)
                && switch (target) {
                    case HandlerTarget.Instances _ -> true;
                    case HandlerTarget.Folder(var root, var options) ->
                            !options.mustExist() || exists(path, root, exists);
                    case HandlerTarget.File(var root, _, var options) ->
                            !options.mustExist() || exists(path, root, exists);
                };
    }

    private boolean matches(String path) {
        if (prefix == null) {
            return pattern.matches(path);
        }
        return path.startsWith(prefix) && path.indexOf('\n', prefix.length()) < 0;
    }

    private boolean exists(String path, Path root, BiPredicate<Path, String> exists) {
        String relative = relativeFile(path);
        return relative != null && exists.test(root, relative);
    }

    /** The file of a path that this handler matches, relative to the folder of its target. */
    public @Nullable String relativeFile(String path) {
        if (target instanceof HandlerTarget.Instances) {
            return null;
        }
        Matcher matcher = pattern.matcher(path);
        if (!matcher.matches()) {
            return null;
        }
        return switch (target) {
            case HandlerTarget.Instances _ -> null;
            case HandlerTarget.Folder _ -> matcher.group(matcher.groupCount());
            case HandlerTarget.File(_, var template, _) -> expanded(template, matcher);
        };
    }

    /** Replaces {@code \1} to {@code \9} by the groups of the match. */
    private static String expanded(String template, Matcher matcher) {
        StringBuilder file = new StringBuilder();
        for (int i = 0; i < template.length(); i++) {
            char c = template.charAt(i);
            int group = i + 1 < template.length() ? template.charAt(i + 1) - '0' : -1;
            if (c == '\\' && group >= 1 && group <= 9) {
                String value = group <= matcher.groupCount() ? matcher.group(group) : null;
                file.append(value == null ? "" : value);
                i++;
            } else {
                file.append(c);
            }
        }
        return file.toString();
    }
}
