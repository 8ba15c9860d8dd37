package petrichor.frontends.storage;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntPredicate;
import petrichor.base.PetrichorException;

/**
 * A pattern for names of objects: {@code *} matches characters except a slash, {@code **} all
 * characters (with a slash behind it at the beginning of a segment: any number of segments), {@code
 * ?} one character except a slash, {@code [a-z]} and {@code [!a-z]} one of a class, {@code {a,b}}
 * one of several texts, and a backslash takes away the meaning of a character. Takes time in
 * proportion to the lengths of pattern and name, for any pattern. Immutable.
 */
final class Glob {
    private static final int CHARS_MAX = 1_024;
    private static final int ALTERNATIVES_MAX = 64;

    private final List<List<Step>> alternatives;

    /**
     * @param repeats whether it matches any number of characters
     * @param optional number of the following steps that the name may skip together; a step with
     *     such a number matches no character itself
     */
    private record Step(IntPredicate accepts, boolean repeats, int optional) {
        static Step one(IntPredicate accepts) {
            return new Step(accepts, false, 0);
        }

        static Step any(IntPredicate accepts) {
            return new Step(accepts, true, 0);
        }

        static Step skippable(int steps) {
            return new Step(_ -> false, false, steps);
        }
    }

    private Glob(List<List<Step>> alternatives) {
        this.alternatives = alternatives;
    }

    static Glob of(String text) {
        if (text.length() > CHARS_MAX) {
            throw PetrichorException.invalid(
                    "matchGlob has more than {charsMax} characters", "charsMax", CHARS_MAX);
        }
        List<String> expanded = new ArrayList<>();
        expand("", text, expanded);
        List<List<Step>> alternatives = new ArrayList<>();
        for (String one : expanded) {
            alternatives.add(steps(one));
        }
        return new Glob(alternatives);
    }

    /** Replaces the first braces by each of their texts, and continues with the rest. */
    private static void expand(String before, String rest, List<String> expanded) {
        int open = unescaped(rest, '{', 0);
        if (open < 0) {
            if (expanded.size() == ALTERNATIVES_MAX) {
                throw PetrichorException.invalid(
                        "matchGlob has more than {alternativesMax} alternatives",
                        "alternativesMax",
                        ALTERNATIVES_MAX);
            }
            expanded.add(before + rest);
            return;
        }
        int close = unescaped(rest, '}', open);
        if (close < 0) {
            throw malformed();
        }
        for (String choice : rest.substring(open + 1, close).split(",", -1)) {
            expand(before + rest.substring(0, open) + choice, rest.substring(close + 1), expanded);
        }
    }

    private static int unescaped(String text, char wanted, int from) {
        for (int at = from; at < text.length(); at++) {
            if (text.charAt(at) == '\\') {
                at++;
            } else if (text.charAt(at) == wanted) {
                return at;
            }
        }
        return -1;
    }

    private static List<Step> steps(String text) {
        List<Step> steps = new ArrayList<>();
        int at = 0;
        while (at < text.length()) {
            int next = text.codePointAt(at);
            int length = Character.charCount(next);
            switch (next) {
                case '*' -> length = stars(text, at, steps);
                case '?' -> steps.add(Step.one(each -> each != '/'));
                case '[' -> {
                    int end = text.indexOf(']', at + 2);
                    if (end < 0) {
                        throw malformed();
                    }
                    steps.add(Step.one(among(text.substring(at + 1, end))));
                    length = end + 1 - at;
                }
                case '\\' -> {
                    if (at + 1 == text.length()) {
                        throw malformed();
                    }
                    int literal = text.codePointAt(at + 1);
                    steps.add(Step.one(each -> each == literal));
                    length = 1 + Character.charCount(literal);
                }
                default -> steps.add(Step.one(each -> each == next));
            }
            at += length;
        }
        return steps;
    }

    /** Adds the steps of the stars at a position; returns the number of characters read. */
    private static int stars(String text, int at, List<Step> steps) {
        if (!text.startsWith("**", at)) {
            steps.add(Step.any(each -> each != '/'));
            return 1;
        }
        boolean segments = text.startsWith("/", at + 2) && (at == 0 || text.charAt(at - 1) == '/');
        if (segments) {
            steps.add(Step.skippable(2));
        }
        steps.add(Step.any(_ -> true));
        if (!segments) {
            return 2;
        }
        steps.add(Step.one(each -> each == '/'));
        return 3;
    }

    private static IntPredicate among(String members) {
        boolean not = members.startsWith("!") || members.startsWith("^");
        int[] all = members.substring(not ? 1 : 0).codePoints().toArray();
        return each -> {
            boolean found = false;
            for (int i = 0; i < all.length; i++) {
                if (i + 2 < all.length && all[i + 1] == '-') {
                    found |= all[i] <= each && each <= all[i + 2];
                    i += 2;
                } else {
                    found |= all[i] == each;
                }
            }
            return each != '/' && found != not;
        };
    }

    private static PetrichorException malformed() {
        return PetrichorException.invalid(
                "matchGlob is not a pattern: a bracket or brace is not closed, or a backslash is at"
                        + " the end");
    }

    /** Whether the complete name matches. */
    boolean matches(String name) {
        int[] characters = name.codePoints().toArray();
        return alternatives.stream().anyMatch(steps -> matches(steps, characters));
    }

    private static boolean matches(List<Step> steps, int[] name) {
        BitSet reached = new BitSet(steps.size() + 1);
        reached.set(0);
        skip(steps, reached);
        for (int each : name) {
            BitSet next = new BitSet(steps.size() + 1);
            for (int at = reached.nextSetBit(0); at >= 0; at = reached.nextSetBit(at + 1)) {
                if (at < steps.size() && steps.get(at).accepts().test(each)) {
                    next.set(steps.get(at).repeats() ? at : at + 1);
                }
            }
            skip(steps, next);
            reached = next;
        }
        return reached.get(steps.size());
    }

    /** A repeated step may match nothing, and optional steps may be skipped. */
    private static void skip(List<Step> steps, BitSet reached) {
        for (int at = reached.nextSetBit(0); at >= 0; at = reached.nextSetBit(at + 1)) {
            if (at == steps.size()) {
                return;
            }
            Step step = steps.get(at);
            if (step.repeats() || step.optional() > 0) {
                reached.set(at + 1);
            }
            if (step.optional() > 0) {
                reached.set(at + 1 + step.optional());
            }
        }
    }
}
