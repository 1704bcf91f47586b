//! The order of batches in sd-scripts, as its own data loader gave it for six settings of batch, workers and persistence.

use std::fs;

use serde_json::Value;
use walkaround::model::SampleIndex;
use walkaround::trainers::order::{KohyaDataset, KohyaOrder, Loader, Located};

use crate::corpus::shared;

const FILE: &str = "kohya_order_truth.json";

/// First letter, number and repeats of the files that the orders were recorded with.
const FILES: [(char, u32, usize); 5] = [('t', 4, 1), ('a', 7, 2), ('w', 5, 2), ('b', 3, 1), ('c', 6, 3)];

fn names() -> Vec<String> {
    FILES.iter().flat_map(|&(letter, count, _)| (0..count).map(move |number| format!("{letter}{number:02}.png"))).collect()
}

/// Two datasets: the second has one bucket, the first two, of which the larger one comes from three folders.
fn datasets(batch_size: u32) -> Vec<KohyaDataset> {
    let mut next = 0;
    let mut groups = FILES.map(|(_, count, repeats)| {
        let numbers = next..next + count;
        next += count;
        numbers.flat_map(|number| vec![SampleIndex(number); repeats]).collect::<Vec<_>>()
    });
    let [towers, first, second, third, others] = &mut groups;
    first.append(second);
    first.append(third);
    let dataset = |buckets| KohyaDataset { buckets, batch_size };
    vec![dataset(vec![towers.clone(), first.clone()]), dataset(vec![others.clone()])]
}

fn number<T: TryFrom<u64>>(value: &Value) -> T {
    value.as_u64().and_then(|number| T::try_from(number).ok()).expect("the value is a number that fits")
}

#[test]
fn kohya_orders_batches_as_it_does() {
    let Some(path) = shared(&format!("truth/{FILE}")) else { return };
    let text = fs::read_to_string(path).expect("the file can be read");
    let recorded: Vec<Value> = serde_json::from_str(&text).expect("the file is JSON");
    let names = names();
    let right = recorded.iter().filter(|setting| {
        let loader = Loader { workers: number(&setting["num_workers"]), persistent: setting["persistent"] == true };
        let seed = KohyaOrder::dataset_seed(number(&setting["args_seed"]));
        assert_eq!(seed, number::<i64>(&setting["dataset_seed"]));
        let order = KohyaOrder::new(datasets(number(&setting["batch_size"])), seed, loader);
        assert_eq!(order.count(), number::<usize>(&setting["num_batches"]));
        let epochs = setting["epochs"].as_array().expect("there are epochs");
        let sampler_seeds = order.sampler_seeds(number(&setting["torch_seed_before_first_iter"]), 3);
        let mut step = 0;
        (1..).zip(epochs.iter().zip(sampler_seeds)).all(|(epoch, (expected, sampler_seed))| {
            let batches = order.visits(epoch, sampler_seed).expect("the epoch is near");
            let visited: Vec<Vec<&str>> =
                batches.iter().map(|batch| batch.iter().map(|sample| names[sample.0 as usize].as_str()).collect()).collect();
            // Without the sampler's seed each batch is among those that can be proved.
            let is_among = batches.iter().all(|batch| {
                step += 1;
                matches!(order.locate(step, 1, None), Located::Among { count: 1, batches, .. } if batches.contains(batch))
            });
            is_among && *expected == serde_json::json!(visited)
        })
    });
    let (right, all) = (right.count(), recorded.len());
    println!("{FILE}: {right} of {all}");
    assert_eq!((right, all), (6, 6));
}
