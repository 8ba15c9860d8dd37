package petrichor.services.queues.cron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petrichor.base.PetrichorException;

class ScheduleTest {
    private static String runs(String schedule, String zone, String start, int count) {
        Schedule parsed = Schedule.parse(schedule, ZoneId.of(zone));
        List<String> runs = new ArrayList<>();
        Instant time = Instant.parse(start);
        for (int i = 0; i < count; i++) {
            time = parsed.next(time);
            runs.add(time.toString());
        }
        return String.join(" ", runs);
    }

    /** {@code -Dschedules=FILE} compares with more of them. */
    @Test
    void computesTheTimesOfAppEngine() throws IOException {
        List<String> differences = new ArrayList<>();
        int compared = 0;
        for (String line : lines()) {
            if (line.startsWith("#") || line.isBlank()) {
                continue;
            }
            String[] parts = line.split("\\|", -1);
            String ours;
            try {
                ours = runs(parts[0], parts[1], parts[2], 4);
            } catch (PetrichorException refused) {
                ours = "invalid";
            }
            compared++;
            if (!ours.equals(parts[3])) {
                differences.add(line + "\n  ours: " + ours);
            }
        }
        assertThat(differences).isEmpty();
        assertThat(compared).isGreaterThanOrEqualTo(500);
    }

    private static List<String> lines() throws IOException {
        String file = System.getProperty("schedules");
        if (file != null) {
            return Files.readAllLines(Path.of(file));
        }
        try (InputStream in = ScheduleTest.class.getResourceAsStream("schedules.txt")) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // In the night of March 28, 02:30 does not exist in Berlin.
                "every day 02:30 | Europe/Berlin | 2021-03-27T12:00:00Z | 2021-03-29T00:30:00Z",
                // In the night of October 31, it exists twice.
                "every day 02:30 | Europe/Berlin | 2021-10-30T12:00:00Z | 2021-10-31T00:30:00Z"
                        + " 2021-10-31T01:30:00Z 2021-11-01T01:30:00Z",
                "every 12 hours | UTC | 2021-01-01T10:20:30Z | 2021-01-01T22:20:00Z",
                "29 of february 00:00 | UTC | 2021-01-01T00:00:00Z | 2024-02-29T00:00:00Z",
                "1st monday of jan,march 10:00 | UTC | 2026-01-05T10:00:00Z | 2026-03-02T10:00:00Z",
            })
    void runsNext(String schedule, String zone, String start, String expected) {
        assertThat(runs(schedule, zone, start, expected.split(" ", -1).length)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "every 5 weeks | at \"weeks\": hours or minutes is expected",
                "every 5 | at \"\": hours or minutes is expected",
                "every 0 hours | the interval must be at least 1",
                "every day 25:00 | a time such as 09:00 is expected",
                "every 7 hours synchronized | must divide 24 hours evenly",
                "30 of feb 10:00 | none of its months has such a day",
                "6th monday of jan 10:00 | every, or 1st to 5th is expected",
                "every monday 09:00 please | at \"please\": the end of the schedule",
                "'' | every, or 1st to 5th is expected",
            })
    void errorsNameTheWord(String schedule, String error) {
        assertThatThrownBy(() -> Schedule.parse(schedule, ZoneId.of("UTC")))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining(error);
    }
}
