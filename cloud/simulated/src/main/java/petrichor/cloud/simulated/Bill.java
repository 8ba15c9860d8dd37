package petrichor.cloud.simulated;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import petrichor.cloud.Money;

/** The bill of a simulated cloud; identical for the same seed. */
public record Bill(List<Line> lines) {
    /**
     * The cost of one machine. Pending machines are not billed.
     *
     * @param units each billed hour, or the whole time if seconds are billed
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

    /** A billed period, and how long the machine was used in it. */
    public record Unit(Instant from, Instant to, Money paid, Duration used) {}

    public Bill {
        lines = List.copyOf(lines);
    }

    public Money total() {
        return lines.stream().map(Line::paid).reduce(Money.ZERO, Money::plus);
    }

    /** Billed periods in which the machine was never used. */
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
