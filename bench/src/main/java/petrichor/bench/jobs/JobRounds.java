package petrichor.bench.jobs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import petrichor.base.PetrichorException;
import petrichor.bench.Progress;

/**
 * One job by all contenders, interleaved, round after round. A contender that fails, or whose
 * result differs from that of most, is excluded; the others continue.
 */
final class JobRounds {
    /** The slowest took three minutes on a busy machine, with the usual amounts of data. */
    static final Duration RUN_MAX = Duration.ofMinutes(15);

    private final MeasuredJob job;
    private final List<JobContender> contenders;
    private final Path output;
    private final Duration runMax;
    private final JobsReport report;
    private final Progress progress;

    JobRounds(
            MeasuredJob job,
            List<JobContender> contenders,
            Path output,
            Duration runMax,
            JobsReport report,
            Progress progress) {
        this.job = job;
        this.contenders = new ArrayList<>(contenders);
        this.output = output;
        this.runMax = runMax;
        this.report = report;
        this.progress = progress;
    }

    void run(int rounds) throws InterruptedException {
        for (int round = 1; round <= rounds; round++) {
            Map<String, Answer> answers = new LinkedHashMap<>();
            List<JobContender> turns = new ArrayList<>(contenders);
            // Rotates, so that no contender is always first, right after the removal of the
            // previous result.
            Collections.rotate(turns, 1 - round);
            for (JobContender contender : turns) {
                progress.say(
                        job.displayName()
                                + ", round "
                                + round
                                + " of "
                                + rounds
                                + ": "
                                + contender.name());
                try {
                    answers.put(contender.name(), once(contender, round));
                } catch (IOException | PetrichorException | IllegalArgumentException failed) {
                    leaveOut(contender.name(), String.valueOf(failed.getMessage()));
                } finally {
                    delete(output);
                }
            }
            compare(answers);
        }
    }

    private Answer once(JobContender contender, int round)
            throws IOException, InterruptedException {
        Path log = output.resolveSibling("log");
        MeasuredProcess measured =
                MeasuredProcess.run(contender.command(), contender.environment(), log, runMax);
        Answer answer = Answer.of(job, output);
        report.add(new JobSample(job, contender.name(), round, measured));
        return answer;
    }

    /** Excludes the contenders whose result differs from all others. */
    private void compare(Map<String, Answer> answers) {
        Map<Answer, Long> votes =
                answers.values().stream()
                        .collect(Collectors.groupingBy(each -> each, Collectors.counting()));
        if (votes.size() < 2) {
            return;
        }
        Map<Answer, Long> most = new HashMap<>(votes);
        long highest = most.values().stream().mapToLong(Long::longValue).max().orElse(0);
        most.values().removeIf(count -> count < highest);
        for (Map.Entry<String, Answer> each : answers.entrySet()) {
            if (most.size() > 1 || !most.containsKey(each.getValue())) {
                leaveOut(
                        each.getKey(),
                        "its result is "
                                + each.getValue().words()
                                + ", but of others "
                                + answers.values().stream()
                                        .filter(other -> !other.equals(each.getValue()))
                                        .map(Answer::words)
                                        .distinct()
                                        .collect(Collectors.joining(" and ")));
            }
        }
    }

    private void leaveOut(String contender, String why) {
        contenders.removeIf(each -> each.name().equals(contender));
        report.leaveOut(job, contender, why);
    }

    private static void delete(Path path) {
        try (Stream<Path> all = Files.exists(path) ? Files.walk(path) : Stream.empty()) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
