package petrichor.cli.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import petrichor.base.FileProblem;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.Terminal;
import petrichor.jobs.service.LocalJob;
import petrichor.jobs.service.Progress;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "explain",
        mixinStandardHelpOptions = true,
        description = {
            "Show the execution plan of a job, and why it was chosen. Nothing is run.",
            "A plan with iterations has several parts, which run one after the other."
        })
final class JobExplainCommand implements Callable<Integer> {
    @Mixin private JobChoice choice = new JobChoice();

    @Option(names = "--json", description = "Print one JSON object per part.")
    private boolean json;

    @Option(
            names = "--drawing",
            paramLabel = "FILE",
            description = "Draw the plan to this SVG file; further parts get a number.")
    private @Nullable Path drawing;

    @Override
    public Integer call() {
        List<Progress.PlanPart> parts = LocalJob.explain(choice.jar(), choice.submission());
        for (int i = 0; i < parts.size(); i++) {
            System.out.println(json ? parts.get(i).getJson() : parts.get(i).getText());
            if (drawing != null) {
                draw(i == 0 ? drawing : numbered(drawing, i + 1), parts.get(i).getDrawing());
            }
        }
        return ExitCode.OK.number();
    }

    private static Path numbered(Path file, int number) {
        String name = file.getFileName().toString();
        int dot = name.lastIndexOf('.');
        return file.resolveSibling(
                dot < 0
                        ? name + "-" + number
                        : name.substring(0, dot) + "-" + number + name.substring(dot));
    }

    private static void draw(Path file, String picture) {
        try {
            Files.writeString(file, picture);
        } catch (IOException e) {
            throw FileProblem.of("cannot write " + file, e);
        }
        Terminal.open(false).say("drawn in " + file);
    }
}
