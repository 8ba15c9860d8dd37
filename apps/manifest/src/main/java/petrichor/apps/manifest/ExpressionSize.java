package petrichor.apps.manifest;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Estimates how many instructions RE2 compiles an expression to. RE2 copies what is repeated a
 * given number of times, so that {@code ((a{100}){100}){100}} needs a million of them; its library
 * limits each number, not their product. The estimate is never too small for an expression that
 * compiles.
 */
final class ExpressionSize {
    private static final Pattern TIMES = Pattern.compile("\\{([0-9]{1,9})(?:,([0-9]{0,9}))?}");

    private final String expression;

    /** Of the groups that are open, outermost last. */
    private final Deque<Long> open = new ArrayDeque<>();

    /** Of the innermost open group, without the last atom. */
    private long before;

    /** Of the last character, class or group, with its repetitions. */
    private long atom;

    private ExpressionSize(String expression) {
        this.expression = expression;
    }

    static long of(String expression) {
        return new ExpressionSize(expression).size();
    }

    private long size() {
        int at = 0;
        Matcher times = TIMES.matcher(expression);
        while (at < expression.length()) {
            switch (expression.charAt(at)) {
                case '(' -> {
                    next(0);
                    open.push(before);
                    before = 0;
                }
                case ')' -> {
                    long group = before + atom;
                    before = open.isEmpty() ? 0 : open.pop();
                    atom = group + 1;
                }
                case '[' -> {
                    next(1);
                    at = lastOfClass(at);
                }
                case '\\' -> {
                    next(1);
                    at++;
                }
                case '{' -> {
                    if (times.region(at, expression.length()).lookingAt()) {
                        atom = saturated(atom * repetitions(times));
                    } else {
                        next(1);
                    }
                }
                default -> next(1);
            }
            at++;
        }
        next(0);
        return open.stream().reduce(before, Long::sum);
    }

    private void next(long size) {
        before = saturated(before + atom);
        atom = size;
    }

    /** Sizes beyond it do not matter, and must not overflow. */
    private static long saturated(long size) {
        return Math.min(size, Integer.MAX_VALUE);
    }

    private static long repetitions(Matcher times) {
        long min = Long.parseLong(times.group(1));
        boolean open = times.group(2) == null || times.group(2).isEmpty();
        return Math.max(1, Math.max(min, open ? min : Long.parseLong(times.group(2)))) + 1;
    }

    /** Where the class ends that begins at an index. */
    private int lastOfClass(int begin) {
        int at = begin + 1;
        if (at < expression.length() && expression.charAt(at) == '^') {
            at++;
        }
        int first = at;
        while (at < expression.length() && (expression.charAt(at) != ']' || at == first)) {
            int named = expression.startsWith("[:", at) ? expression.indexOf(":]", at + 2) : -1;
            if (named >= 0) {
                at = named + 2;
            } else {
                at += expression.charAt(at) == '\\' ? 2 : 1;
            }
        }
        return at;
    }
}
