package petrichor.jobs.engine.operators;

import java.util.List;
import petrichor.jobs.jobgraph.Source;

/** Reads the beginnings of some splits through a chain whose end only samples. */
public record Trial(List<Source.Split> splits, Stage chain, SampledRangeStage stage) {}
