package petrichor.bench.tuning;

import java.util.List;
import petrichor.charts.Svg;

/** Assigns the document pipeline's tasks the same colours in every drawing. */
final class PipelineColours {
    private PipelineColours() {}

    static String of(String task) {
        return switch (task) {
            case DocumentPipeline.READER -> "#2f6f9f";
            case DocumentPipeline.OCR -> "#c8553d";
            case DocumentPipeline.PDF -> "#4a9d6a";
            case DocumentPipeline.INDEX -> "#8a6fb0";
            case String _ -> "#777";
        };
    }

    static List<String> of(List<String> tasks) {
        return tasks.stream().map(PipelineColours::of).toList();
    }

    static void legend(Svg svg, int left, String... tasks) {
        for (int i = 0; i < tasks.length; i++) {
            int x = left + 120 * i;
            svg.box(x, 24, 10, 10, of(tasks[i])).text(x + 14, 33, tasks[i]);
        }
    }
}
