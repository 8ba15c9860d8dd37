package petrichor.charts;

import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * A frame in a drawing with time from left to right.
 *
 * @param <M> a data point
 * @param end time at the right edge, in the unit of {@code time}
 */
public record TimePanel<M>(
        Svg svg,
        int left,
        int top,
        int width,
        int height,
        double end,
        List<M> moments,
        ToDoubleFunction<M> time) {

    private static final int BAR = 12;
    private static final double LINE_WIDTH = 1.5;

    public TimePanel {
        svg.frame(left, top, width, height);
    }

    public int bottom() {
        return top + height;
    }

    public int right() {
        return left + width;
    }

    /**
     * @param share 1 at the panel's top, 0 at its bottom
     */
    public void line(String colour, ToDoubleFunction<M> share) {
        Svg.Path path = new Svg.Path();
        for (M moment : moments) {
            path.to(x(moment), y(share.applyAsDouble(moment)));
        }
        svg.path(path, colour, LINE_WIDTH);
    }

    /** As {@link #line}, for values that hold since the previous data point. */
    public void steps(String colour, ToDoubleFunction<M> share) {
        Svg.Path path = new Svg.Path();
        double before = left;
        for (M moment : moments) {
            double y = y(share.applyAsDouble(moment));
            path.to(before, y);
            before = x(moment);
            path.to(before, y);
        }
        svg.path(path, colour, LINE_WIDTH);
    }

    /** A bar under the frame whose colours hold since the previous data point. */
    public void bar(Function<M, List<String>> colours) {
        double before = left;
        for (M moment : moments) {
            List<String> now = colours.apply(moment);
            double part = (double) BAR / now.size();
            for (int i = 0; i < now.size(); i++) {
                svg.box(before, bottom() + 3 + i * part, x(moment) - before, part, now.get(i));
            }
            before = x(moment);
        }
    }

    private double x(M moment) {
        double share = end > 0 ? time.applyAsDouble(moment) / end : 0;
        return left + Math.min(1, share) * width;
    }

    private double y(double share) {
        return top + height * (1 - share);
    }
}
