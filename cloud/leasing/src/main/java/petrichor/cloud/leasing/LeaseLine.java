package petrichor.cloud.leasing;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import java.util.zip.CRC32;
import petrichor.cloud.Money;
import petrichor.cloud.Purchase;

/**
 * The complete state of a lease from a time on; the last line with a token is current.
 *
 * @param instance the cloud's id, once known
 * @param running start of billing, once known
 * @param stage the stage that uses it, while it is {@link LeaseState#USED}
 * @param need of the stage
 */
public record LeaseLine(
        Instant at,
        String token,
        String type,
        Purchase purchase,
        Optional<Money> bid,
        LeaseState state,
        Optional<String> instance,
        Optional<Instant> running,
        Optional<StageId> stage,
        Optional<String> need,
        String reason) {
    private static final String NONE = "-";
    private static final int FIELDS = 12;

    String text() {
        String rest =
                String.join(
                        "\t",
                        at.toString(),
                        token,
                        type,
                        purchase.name(),
                        bid.map(money -> Long.toString(money.micros())).orElse(NONE),
                        state.recorded(),
                        instance.orElse(NONE),
                        running.map(Instant::toString).orElse(NONE),
                        stage.map(StageId::toString).orElse(NONE),
                        need.orElse(NONE),
                        reason.replaceAll("\\s+", " "));
        return sum(rest) + "\t" + rest;
    }

    /** Empty if the line is truncated or invalid. */
    static Optional<LeaseLine> parse(String text) {
        String[] fields = text.split("\t", -1);
        int tab = text.indexOf('\t');
        if (fields.length != FIELDS || !fields[0].equals(sum(text.substring(tab + 1)))) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    new LeaseLine(
                            Instant.parse(fields[1]),
                            fields[2],
                            fields[3],
                            Purchase.valueOf(fields[4]),
                            some(fields[5]).map(micros -> new Money(Long.parseLong(micros))),
                            LeaseState.ofRecord(fields[6]),
                            some(fields[7]),
                            some(fields[8]).map(Instant::parse),
                            some(fields[9]).map(StageId::parse),
                            some(fields[10]),
                            fields[11]));
        } catch (IllegalArgumentException | DateTimeException e) {
            return Optional.empty();
        }
    }

    private static Optional<String> some(String field) {
        return field.equals(NONE) ? Optional.empty() : Optional.of(field);
    }

    private static String sum(String text) {
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return "%08x".formatted(crc.getValue());
    }
}
