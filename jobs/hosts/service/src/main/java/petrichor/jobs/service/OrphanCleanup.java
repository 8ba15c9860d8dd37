package petrichor.jobs.service;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * Removes unpublished output of a job. A process of the job's program does this, because only the
 * program knows where its output is. Stateless.
 */
final class OrphanCleanup {
    private OrphanCleanup() {}

    /**
     * Takes about a second.
     *
     * @return the reason if the output may be incomplete; empty if all of it was removed
     */
    static Optional<String> of(JobSettings settings, Assignment job) {
        Assignment cleaning =
                new Assignment(job.jar(), job.folder(), job.leases(), null, job.submission(), true);
        CompletableFuture<Optional<String>> done = new CompletableFuture<>();
        Optional<String> complaint;
        try (JobProcess process = JobProcess.start(settings)) {
            process.run(cleaning, settings.silenceMax(), listener(done));
            complaint = done.get(settings.silenceMax().toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            complaint = Optional.of("interrupted");
        } catch (TimeoutException e) {
            complaint = Optional.of("it did not end within " + seconds(settings.silenceMax()));
        } catch (ExecutionException | PetrichorException e) {
            complaint = Optional.of(String.valueOf(e.getMessage()));
        }
        complaint.ifPresent(
                why ->
                        System.getLogger(OrphanCleanup.class.getName())
                                .log(
                                        System.Logger.Level.WARNING,
                                        "unpublished results of a job may remain: {0}",
                                        why));
        return complaint;
    }

    private static String seconds(Duration time) {
        return time.toSeconds() + " s";
    }

    private static JobProcess.Listener listener(CompletableFuture<Optional<String>> done) {
        return new JobProcess.Listener() {
            private @Nullable String why = "the cleanup process failed";

            @Override
            public void happened(Progress.Event event) {
                if (event.hasEnded()) {
                    why = event.getEnded().hasFailure() ? event.getEnded().getFailure() : null;
                }
            }

            @Override
            public void gone(String how, int status) {
                done.complete(Optional.ofNullable(why));
            }
        };
    }
}
