package petrichor.cloud;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;

/**
 * Spot prices of one type over a period; a price is valid until the next one. The file format is a
 * heading and lines {@code time,dollars} such as {@code 2026-01-01T00:00:00Z,0.0317}, in
 * chronological order.
 *
 * @param end time until which the last price is known to be valid
 */
public record PriceTrace(List<PricePoint> points, Instant end) {
    public static final String HEADING = "time,price_per_hour";

    public PriceTrace {
        points = List.copyOf(points);
        if (points.isEmpty()) {
            throw PetrichorException.invalid("a price trace needs at least one price");
        }
        for (int i = 1; i < points.size(); i++) {
            if (!points.get(i).from().isAfter(points.get(i - 1).from())) {
                throw PetrichorException.invalid(
                        "prices must be in chronological order: {from}",
                        "from",
                        points.get(i).from());
            }
        }
        if (end.isBefore(points.getLast().from())) {
            throw PetrichorException.invalid(
                    "a price trace must not end before its last price: {end}", "end", end);
        }
    }

    public Instant begin() {
        return points.getFirst().from();
    }

    public Duration length() {
        return Duration.between(begin(), end);
    }

    /** The price at a time; before the first price, the first price. */
    public Money at(Instant moment) {
        int low = 0;
        int high = points.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (points.get(middle).from().isAfter(moment)) {
                high = middle - 1;
            } else {
                low = middle;
            }
        }
        return points.get(low).pricePerHour();
    }

    public List<PricePoint> between(Instant from, Instant to) {
        List<PricePoint> some = new ArrayList<>();
        for (int i = 0; i < points.size(); i++) {
            boolean overBefore = i + 1 < points.size() && !points.get(i + 1).from().isAfter(from);
            if (!overBefore && points.get(i).from().isBefore(to)) {
                some.add(points.get(i));
            }
        }
        return some;
    }

    public static PriceTrace read(Path file) {
        try {
            return parse(Files.readAllLines(file));
        } catch (IOException e) {
            throw FileProblem.of("cannot read the prices in " + file, e);
        }
    }

    /** If the last line repeats the previous price, it marks the end of the trace. */
    public static PriceTrace parse(List<String> lines) {
        List<PricePoint> points = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (!line.isEmpty() && !line.equals(HEADING)) {
                points.add(point(line, i + 1));
            }
        }
        if (points.isEmpty()) {
            throw PetrichorException.invalid("there is no line 'time,dollars'");
        }
        return new PriceTrace(points, points.getLast().from());
    }

    private static PricePoint point(String line, int number) {
        String[] fields = line.split(",", -1);
        try {
            if (fields.length == 2) {
                return new PricePoint(Instant.parse(fields[0].strip()), Money.parse(fields[1]));
            }
        } catch (DateTimeParseException e) {
            throw PetrichorException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    e,
                    "line {number}: '{field}' is not a time such as 2026-01-01T00:00:00Z",
                    "number",
                    number,
                    "field",
                    fields[0]);
        }
        throw PetrichorException.invalid(
                "line {number}: expected 'time,dollars', found '{line}'",
                "number",
                number,
                "line",
                line);
    }

    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(HEADING);
        for (PricePoint point : points) {
            lines.add(point.from() + "," + point.pricePerHour().toString().substring(1));
        }
        if (end.isAfter(points.getLast().from())) {
            lines.add(end + "," + points.getLast().pricePerHour().toString().substring(1));
        }
        return lines;
    }
}
