package petrichor.cloud.simulated;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import petrichor.cloud.Money;

/** What is to be paid, and for what; the same for the same seed. */
public record Bill(List<Line> lines) {
    /**
     * One machine. Pending machines are not billed.
     *
     * @param units each hour, or the whole time where seconds are billed
     */
    public record Line(
            String instance,
            String type,
            String owner,
            String purpose,
            Instant from,
            Instant to,
            Money paid,
            Duration used,
            List<Unit> units) {}

    /** A time that was paid for at once, and how long the machine was used in it. */
    public record Unit(Instant from, Instant to, Money paid, Duration used) {}

    public Bill {
        lines = List.copyOf(lines);
    }

    public Money total() {
        return lines.stream().map(Line::paid).reduce(Money.ZERO, Money::plus);
    }

    /** Paid for, and the machine did not work for one moment in them. */
    public List<Unit> unused() {
        List<Unit> unused = new ArrayList<>();
        for (Line line : lines) {
            for (Unit unit : line.units()) {
                if (unit.used().isZero() && unit.paid().micros() > 0) {
                    unused.add(unit);
                }
            }
        }
        return unused;
    }

    public List<String> csv() {
        List<String> csv = new ArrayList<>();
        csv.add("instance,type,owner,purpose,from,to,paid_dollars,used_seconds");
        for (Line line : lines) {
            csv.add(
                    String.join(
                            ",",
                            line.instance(),
                            line.type(),
                            line.owner(),
                            line.purpose(),
                            line.from().toString(),
                            line.to().toString(),
                            line.paid().toString().substring(1),
                            Long.toString(line.used().toSeconds())));
        }
        return csv;
    }
}
