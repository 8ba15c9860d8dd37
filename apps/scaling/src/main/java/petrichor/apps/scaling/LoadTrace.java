package petrichor.apps.scaling;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * A load to replay, from a file with lines {@code time,requests,duration}: the requests arrive
 * evenly between this time and the next line's, and each one takes the duration. Times are seconds
 * since the start; durations are seconds, or milliseconds with {@code ms}. The last line's requests
 * arrive within as long a time as those of the line before it, or one second.
 *
 * <p>If the first line is {@code time,concurrency,duration}, the second number is how many requests
 * are in progress at a time if none waits. By Little's law, they arrive at the rate of the
 * concurrency divided by the duration.
 *
 * @param steps in the order of their times
 */
public record LoadTrace(List<Step> steps) {
    public static final int STEPS_MAX = 1_000_000;
    public static final long REQUESTS_MAX = 10_000_000;
    public static final Duration LENGTH_MAX = Duration.ofDays(8);

    private static final Duration REQUEST_MAX = Duration.ofDays(1);
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final String NUMBER = "([0-9]{1,9}(?:\\.[0-9]{1,9})?)";
    private static final Pattern LINE =
            Pattern.compile(
                    "\\s*%s\\s*,\\s*%s\\s*,\\s*%s(ms|s)?\\s*".formatted(NUMBER, NUMBER, NUMBER));

    /** What the second number of a line is. */
    private enum Load {
        REQUESTS("time,requests,duration, such as 60,120,0.25"),
        CONCURRENCY("time,concurrency,duration, such as 60,7.5,0.25");

        private final String form;

        Load(String form) {
            this.form = form;
        }

        static Load of(String names) {
            return names.replace(" ", "").startsWith("time,concurrency") ? CONCURRENCY : REQUESTS;
        }
    }

    /**
     * Requests of one kind.
     *
     * @param start since the start of the trace
     * @param length of the time in which they arrive; positive
     */
    public record Step(Duration start, Duration length, int requests, Duration each) {
        public Step {
            if (start.isNegative()
                    || !length.isPositive()
                    || start.plus(length).compareTo(LENGTH_MAX) > 0
                    || requests < 0
                    || each.isNegative()
                    || each.compareTo(REQUEST_MAX) > 0) {
                throw PetrichorException.invalid(
                        "A step of a trace at {start}, for {length}, with {requests} requests of"
                                + " {each} is out of range; a trace has up to {lengthMax}.",
                        "start",
                        start,
                        "length",
                        length,
                        "requests",
                        requests,
                        "each",
                        each,
                        "lengthMax",
                        LENGTH_MAX);
            }
        }

        /** When a request arrives, counted from 0. */
        Duration arrival(int request) {
            return start.plusNanos((long) ((double) length.toNanos() * request / requests));
        }

        Duration end() {
            return start.plus(length);
        }
    }

    public LoadTrace {
        steps = List.copyOf(steps);
        long requests = steps.stream().mapToLong(Step::requests).sum();
        if (requests > REQUESTS_MAX || steps.size() > STEPS_MAX) {
            throw PetrichorException.invalid(
                    "The trace has {requests} requests in {steps} lines; at most {requestsMax} in"
                            + " {stepsMax} are allowed.",
                    "requests",
                    requests,
                    "steps",
                    steps.size(),
                    "requestsMax",
                    REQUESTS_MAX,
                    "stepsMax",
                    STEPS_MAX);
        }
    }

    /**
     * Empty lines, lines that begin with {@code #} and a first line of names are skipped.
     *
     * @param file name for errors
     */
    public static LoadTrace parse(String file, List<String> lines) {
        List<Row> rows = new ArrayList<>();
        Load load = Load.REQUESTS;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (rows.isEmpty() && line.startsWith("time")) {
                load = Load.of(line);
            } else if (!line.isEmpty() && !line.startsWith("#")) {
                rows.add(row(file, i + 1, line, load, rows.isEmpty() ? null : rows.getLast()));
            }
        }
        List<Step> steps = new ArrayList<>();
        Duration length = Duration.ofSeconds(1);
        for (int i = 0; i < rows.size(); i++) {
            Row row = rows.get(i);
            if (i + 1 < rows.size()) {
                length = rows.get(i + 1).start().minus(row.start());
            }
            steps.add(new Step(row.start(), length, row.requests(load, length), row.each()));
        }
        return new LoadTrace(steps);
    }

    private record Row(Duration start, double number, Duration each) {
        int requests(Load load, Duration length) {
            double requests =
                    switch (load) {
                        case REQUESTS -> number;
                        case CONCURRENCY -> number * length.toNanos() / each.toNanos();
                    };
            return (int) Math.min(Math.round(requests), Integer.MAX_VALUE);
        }
    }

    private static Row row(
            String file, int number, String line, Load load, @Nullable Row previous) {
        Matcher matcher = LINE.matcher(line);
        if (!matcher.matches() || (load == Load.REQUESTS && matcher.group(2).contains("."))) {
            throw invalid(file, number, "write " + load.form);
        }
        double unit = "ms".equals(matcher.group(4)) ? NANOS_PER_MILLI : NANOS_PER_SECOND;
        Row row =
                new Row(
                        nanos(matcher.group(1), NANOS_PER_SECOND),
                        Double.parseDouble(matcher.group(2)),
                        nanos(matcher.group(3), unit));
        if (previous != null && row.start().compareTo(previous.start()) <= 0) {
            throw invalid(file, number, "the time is not after that of the line before it");
        }
        if (load == Load.CONCURRENCY && row.each().isZero()) {
            throw invalid(file, number, "with concurrency, the duration must be positive");
        }
        return row;
    }

    private static Duration nanos(String number, double unit) {
        return Duration.ofNanos(Math.round(Double.parseDouble(number) * unit));
    }

    private static PetrichorException invalid(String file, int line, String problem) {
        return PetrichorException.invalid(
                "{file}:{line} is not valid: {problem}.",
                "file",
                file,
                "line",
                line,
                "problem",
                problem);
    }

    /** When the last step ends. */
    public Duration end() {
        return steps.isEmpty() ? Duration.ZERO : steps.getLast().end();
    }
}
