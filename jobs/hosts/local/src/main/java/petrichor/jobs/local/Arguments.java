package petrichor.jobs.local;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import petrichor.base.PetrichorException;

/**
 * The arguments of a job: {@code --name value} pairs ({@code --name=value} and a bare {@code
 * --name} for true, too), and positional ones in order. A missing name, or an invalid number, fails
 * with a text for the user. Immutable.
 */
public final class Arguments {
    /** A fact in failures that marks an invalid command line of a job. */
    public static final String FACT = "argument";

    private static final String PREFIX = "--";

    private final Map<String, String> named = new LinkedHashMap<>();
    private final List<String> others = new ArrayList<>();
    private final List<String> words;

    private Arguments(List<String> words) {
        this.words = List.copyOf(words);
    }

    public static Arguments of(String... words) {
        return of(List.of(words));
    }

    public static Arguments of(List<String> words) {
        var arguments = new Arguments(words);
        for (int i = 0; i < words.size(); i++) {
            var word = words.get(i);
            if (!word.startsWith(PREFIX) || word.equals(PREFIX)) {
                arguments.others.add(word);
                continue;
            }
            var name = word.substring(PREFIX.length());
            int equals = name.indexOf('=');
            if (equals > 0) {
                arguments.named.put(name.substring(0, equals), name.substring(equals + 1));
            } else if (i + 1 < words.size() && !words.get(i + 1).startsWith(PREFIX)) {
                arguments.named.put(name, words.get(++i));
            } else {
                arguments.named.put(name, "true");
            }
        }
        return arguments;
    }

    /** Whether there are no arguments. */
    public boolean isEmpty() {
        return named.isEmpty() && others.isEmpty();
    }

    /** All arguments, unparsed: for a program that parses them itself. */
    public List<String> words() {
        return words;
    }

    /** The positional arguments, in order. */
    public List<String> others() {
        return List.copyOf(others);
    }

    public Optional<String> find(String name) {
        return Optional.ofNullable(named.get(name));
    }

    public String text(String name) {
        return find(name)
                .orElseThrow(
                        () ->
                                PetrichorException.invalid(
                                        "this job needs the argument --{argument} VALUE after the"
                                                + " jar",
                                        "argument",
                                        name));
    }

    public String text(String name, String otherwise) {
        return find(name).orElse(otherwise);
    }

    public int whole(String name, int otherwise) {
        return find(name).map(text -> parse(name, text)).orElse(otherwise);
    }

    public double number(String name, double otherwise) {
        return find(name)
                .map(
                        text -> {
                            try {
                                return Double.parseDouble(text);
                            } catch (NumberFormatException wrong) {
                                throw notA("number", name, text);
                            }
                        })
                .orElse(otherwise);
    }

    /** Whether the name is given, without a value or with {@code true}. */
    public boolean flag(String name) {
        return find(name).map(Boolean::parseBoolean).orElse(false);
    }

    private static int parse(String name, String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException wrong) {
            throw notA("whole number", name, text);
        }
    }

    /** The fact "argument" makes the command line exit with the code of a usage error. */
    private static PetrichorException notA(String what, String name, String text) {
        return PetrichorException.invalid(
                "--{argument} is \"{text}\", not a {type}",
                "argument",
                name,
                "text",
                text,
                "type",
                what);
    }
}
