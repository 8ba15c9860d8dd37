package petrichor.kv;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petrichor.base.PetrichorException;

/**
 * Address of a store: {@code
 * scheme://[user[:password]@]host[:port][,host[:port]…]/name[?option=value&…]}. The plugin of the
 * scheme defines the meaning of {@code name} (a keyspace, a database, a prefix) and the options.
 * Printed without the password.
 *
 * @param scheme selects the plugin
 * @param nodes at least one; further ones are alternative servers of the same store
 * @param name may be empty
 */
public record StoreUrl(
        String scheme,
        Optional<String> user,
        Optional<String> password,
        List<Node> nodes,
        String name,
        Map<String, String> options) {

    private static final Pattern FORM =
            Pattern.compile(
                    "([a-z][a-z0-9+.-]*)://(?:([^:@/?]*)(?::([^@/?]*))?@)?([^/?@]+)(?:/([^?]*))?(?:\\?(.*))?");
    private static final Pattern NODE =
            Pattern.compile("(\\[[0-9a-fA-F:.]+]|[^:]+)(?::([0-9]{1,5}))?");

    private static final Pattern DURATION = Pattern.compile("([1-9][0-9]{0,8})(ms|s|m)");

    /**
     * One server.
     *
     * @param port empty: the store's default port
     */
    public record Node(String host, Optional<Integer> port) {
        public int portOr(int usual) {
            return port.orElse(usual);
        }

        @Override
        public String toString() {
            return host + port.map(number -> ":" + number).orElse("");
        }
    }

    public StoreUrl {
        nodes = List.copyOf(nodes);
        options = Map.copyOf(options);
    }

    /** INVALID_ARGUMENT, without repeating a password, if it is not a valid address. */
    public static StoreUrl parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw PetrichorException.invalid(
                    "a store's address is"
                            + " scheme://[user[:password]@]host[:port][,host[:port]…]/name, such as"
                            + " cassandra://127.0.0.1:9042/petrichor");
        }
        List<Node> nodes = new ArrayList<>();
        for (String one : form.group(4).split(",", -1)) {
            nodes.add(node(one));
        }
        return new StoreUrl(
                form.group(1),
                Optional.ofNullable(form.group(2)).map(StoreUrl::decoded),
                Optional.ofNullable(form.group(3)).map(StoreUrl::decoded),
                nodes,
                Optional.ofNullable(form.group(5)).map(StoreUrl::decoded).orElse(""),
                options(Optional.ofNullable(form.group(6)).orElse("")));
    }

    private static Node node(String text) {
        Matcher node = NODE.matcher(text);
        if (!node.matches()) {
            throw PetrichorException.invalid(
                    "'{text}' in a store's address is not a host or host:port", "text", text);
        }
        Optional<Integer> port = Optional.ofNullable(node.group(2)).map(Integer::valueOf);
        if (port.isPresent() && (port.get() == 0 || port.get() > 65_535)) {
            throw PetrichorException.invalid(
                    "'{text}' in a store's address: a port is 1 to 65535", "text", text);
        }
        return new Node(node.group(1), port);
    }

    private static Map<String, String> options(String query) {
        Map<String, String> options = new LinkedHashMap<>();
        for (String pair : query.isEmpty() ? new String[0] : query.split("&", -1)) {
            int equals = pair.indexOf('=');
            if (equals <= 0) {
                throw PetrichorException.invalid(
                        "an option of a store's address is name=value, not '{pair}'", "pair", pair);
            }
            options.put(decoded(pair.substring(0, equals)), decoded(pair.substring(equals + 1)));
        }
        return options;
    }

    private static String decoded(String part) {
        try {
            // A plus sign is literal here, as everywhere in a URL except in form fields.
            return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            throw PetrichorException.invalid(
                    "a % in a store's address begins a byte in hexadecimal, such as %40 for @");
        }
    }

    public StoreUrl withPassword(String secret) {
        return new StoreUrl(scheme, user, Optional.of(secret), nodes, name, options);
    }

    /** INVALID_ARGUMENT for an option that is not in the set. */
    public void requireOptions(Set<String> known) {
        for (String option : options.keySet()) {
            if (!known.contains(option)) {
                throw PetrichorException.invalid(
                        "a store's address of {scheme} has no option '{option}'; there are {value}",
                        "scheme",
                        scheme,
                        "option",
                        option,
                        "value",
                        String.join(", ", new TreeSet<>(known)));
            }
        }
    }

    public String option(String option, String standard) {
        return options.getOrDefault(option, standard);
    }

    /** INVALID_ARGUMENT if the option is not a positive time such as 500ms, 5s or 1m. */
    public Duration duration(String option, Duration standard) {
        String text = options.get(option);
        if (text == null) {
            return standard;
        }
        Matcher duration = DURATION.matcher(text);
        if (!duration.matches()) {
            throw PetrichorException.invalid(
                    "the option '{option}' of a store's address is a time such as 500ms, 5s or 1m,"
                            + " not '{text}'",
                    "option",
                    option,
                    "text",
                    text);
        }
        long number = Long.parseLong(duration.group(1));
        return switch (duration.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            default -> Duration.ofMinutes(number);
        };
    }

    /** The name of the store in errors and logs. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(scheme).append("://");
        user.ifPresent(who -> text.append(who).append('@'));
        text.append(String.join(",", nodes.stream().map(Node::toString).toList()));
        text.append('/').append(name);
        return text.toString();
    }
}
